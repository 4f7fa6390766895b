// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unittests/exploration/ExhaustiveChoices.h"

namespace qdadvise::sim {

bool ExhaustiveChoices::advance() {
  depth = 0;
  preemptions = 0;
  sleeping = 0;
  while (!path.empty()) {
    Branching &last = path.back();
    if (last.left != 0) {
      last.done |= only(last.chosen);
      last.chosen = first(last.left);
      last.left &= ~only(last.chosen);
      return true;
    }
    path.pop_back();
  }
  return false;
}

ThreadSet ExhaustiveChoices::allowed(const Crossroads &at) const {
  if (!bound)
    return (at.ready | at.asleep) & ~sleeping;
  return at.interrupts && preemptions >= *bound ? only(at.last) : at.ready | at.asleep;
}

unsigned ExhaustiveChoices::thread(const Crossroads &at) {
  const ThreadSet options = allowed(at);
  if (options == 0)
    return none;
  ThreadSet tried = 0;
  unsigned chosen = first(options);
  if (options != only(chosen)) {
    if (depth == path.size()) {
      if (holds(options, at.last))
        chosen = at.last;
      path.push_back({options & ~only(chosen), 0, chosen});
    }
    const Branching &here = path[depth++];
    chosen = here.chosen;
    tried = here.done;
  }
  if (bound) {
    preemptions += at.interrupts && chosen != at.last;
    return chosen;
  }
  const ThreadSet candidates = sleeping | tried;
  sleeping = 0;
  for (ThreadSet rest = candidates; rest != 0; rest &= rest - 1)
    if (!dependent(at.next[first(rest)], at.next[chosen]))
      sleeping |= only(first(rest));
  return chosen;
}

unsigned ExhaustiveChoices::pick(unsigned count) {
  if (depth == path.size())
    path.push_back({only(count) - 2, 0, 0});
  return path[depth++].chosen;
}

} // namespace qdadvise::sim
