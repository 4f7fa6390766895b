// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/SpinWaits.h"

#include <algorithm>

namespace qdadvise::sim {

using Spin = MulticoreThread::Spin;

/// Nothing changes before somebody writes to the line. Where the line has been taken away already,
/// the thread looks again at the end of its turn.
void SpinWaits::watch(MulticoreThread &thread, Time at, bool wanted) {
  thread.spinsSince = at;
  thread.turnsBefore = thread.turns;
  if (!caches.has(*thread.spinsOn, thread.core, Need::copy, at)) {
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
    if (wanted && thread.turns >= turnsBeforeYield(thread.target))
      break;
    ++accessCount;
    thread.spin = Spin::fetches;
    thread.accessing = true;
    if (auto there = caches.has(*thread.spinsOn, thread.core, Need::copy, at))
      events.set(thread.id, *there + costs.hit);
    else if ((there = requests.ask(thread, *thread.spinsOn, Need::copy, at)))
      events.set(thread.id, *there);
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
  const Time turn = (thread.target.turn == SpinTurn::nothing ? 0 : costs.pause) + costs.hit;
  const Time yieldingTurn = costs.yield + costs.hit;
  const Time limit = turnsBeforeYield(thread.target);
  const auto turnsUntil = [at](Time since, Time length) {
    return length > 0 ? std::max<Time>(1, (at - since + length - 1) / length) : 1;
  };
  Time since = thread.spinsSince;
  thread.turns = thread.turnsBefore;
  if (thread.turns < limit) {
    const Time left = limit - thread.turns;
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
