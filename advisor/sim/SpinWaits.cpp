// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/SpinWaits.h"

#include <algorithm>
#include <qdadvise/locks/spin_wait.h>

namespace qdadvise::sim {

using Spin = MulticoreThread::Spin;

/// Nothing changes before somebody writes to the line. Where the line has been taken away already,
/// the thread looks again at the end of its turn.
void SpinWaits::watch(MulticoreThread &thread, Time at, bool wanted) {
  thread.spinsSince = at;
  thread.turnsBefore = thread.turns;
  if (!thread.spinsOn->isAt(thread.core)) {
    thread.spin = Spin::turns;
    end(thread, at);
    return;
  }
  thread.spin = Spin::watches;
  thread.spinsOn->spinners.push_back(thread.id);
  if (wanted)
    end(thread, never);
}

bool SpinWaits::goesOn(MulticoreThread &thread, Time at, bool wanted) {
  switch (thread.spin) {
  case Spin::turns:
    if (wanted && thread.turns >= spin_wait::spin_limit)
      break;
    ++accessCount;
    thread.spin = Spin::fetches;
    thread.accessing = true;
    events.set(thread.id, thread.spinsOn->isAt(thread.core)
                              ? at + costs.hit
                              : caches.copy(*thread.spinsOn, thread.core, thread.clock));
    return true;
  case Spin::fetches:
    thread.accessing = false;
    if (thread.target.changed())
      break;
    events.clear(thread.id);
    watch(thread, at, wanted);
    return true;
  default:
    leave(thread);
    return false;
  }
  thread.spin = Spin::no;
  return false;
}

void SpinWaits::end(MulticoreThread &thread, Time at) {
  const Time turn = costs.pause + costs.hit, yieldingTurn = costs.yield + costs.hit;
  const auto turnsUntil = [at](Time since, Time length) {
    return length > 0 ? std::max<Time>(1, (at - since + length - 1) / length) : 1;
  };
  Time since = thread.spinsSince;
  thread.turns = thread.turnsBefore;
  if (thread.turns < spin_wait::spin_limit) {
    const Time left = spin_wait::spin_limit - thread.turns;
    const Time made = at == never ? left : std::min(left, turnsUntil(since, turn));
    since += made * turn;
    thread.turns += static_cast<unsigned>(made);
    if (at == never || since >= at) {
      events.set(thread.id, since);
      return;
    }
  }
  const Time made = at == never ? 1 : turnsUntil(since, yieldingTurn);
  events.set(thread.id, since + made * yieldingTurn);
}

void SpinWaits::wake(CacheLine &line, Time at) {
  if (line.spinners.empty())
    return;
  for (const std::uint32_t id : line.spinners) {
    MulticoreThread &thread = threads[id];
    thread.spin = Spin::turns;
    end(thread, at);
  }
  line.spinners.clear();
}

void SpinWaits::leave(MulticoreThread &thread) {
  std::erase(thread.spinsOn->spinners, thread.id);
  thread.spin = Spin::no;
}

} // namespace qdadvise::sim
