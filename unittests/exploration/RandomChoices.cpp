// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unittests/exploration/RandomChoices.h"

#include <algorithm>
#include <utility>

namespace qdadvise::sim {

RandomChoices::RandomChoices(std::uint64_t seed, std::uint32_t expectedSteps)
    : state(seed), walks((number() & 1) != 0) {
  if (walks) {
    stride = 1u << below(4);
    return;
  }
  const unsigned changes = 1 + below(4);
  changeEvery = std::max(1u, expectedSteps / changes);
  for (unsigned i = 0; i < maxExploredThreads; ++i) {
    priorities[i] = static_cast<std::int32_t>(i) + 1;
    std::swap(priorities[i], priorities[below(i + 1)]);
  }
}

/// S. Vigna's splitmix64, in which consecutive seeds give unrelated numbers.
std::uint64_t RandomChoices::number() {
  std::uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

unsigned RandomChoices::below(unsigned bound) {
  return static_cast<unsigned>((number() >> 32) * bound >> 32);
}

unsigned RandomChoices::oneOf(ThreadSet set) {
  for (unsigned skip = below(static_cast<unsigned>(std::popcount(set))); skip > 0; --skip)
    set &= set - 1;
  return first(set);
}

unsigned RandomChoices::thread(const Crossroads &at) {
  // It is rare, since a sleeper that is woken for no reason hides a lost wake-up.
  if (at.asleep != 0 && below(32) == 0)
    return oneOf(at.asleep);
  if (std::has_single_bit(at.ready))
    return first(at.ready);
  return walks ? walk(at) : byPriority(at);
}

unsigned RandomChoices::walk(const Crossroads &at) {
  if (at.interrupts && stride > 1 && below(stride) != 0)
    return at.last;
  return oneOf(at.ready);
}

unsigned RandomChoices::byPriority(const Crossroads &at) {
  // Otherwise, a thread that yields would be chosen again at once, for ever.
  if (below(changeEvery) == 0 || !at.interrupts)
    if (holds(at.ready, at.last))
      priorities[at.last] = --lowest;
  unsigned best = first(at.ready);
  for (ThreadSet rest = at.ready; rest != 0; rest &= rest - 1)
    if (priorities[first(rest)] > priorities[best])
      best = first(rest);
  return best;
}

} // namespace qdadvise::sim
