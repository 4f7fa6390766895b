// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread has which core, as Linux's fair scheduler decides it (EEVDF, with threads of
// equal weight): each core has a queue of its own and runs who has run least; whoever is
// woken goes to an idle core, else to its last one, where it comes first if it has run less
// and the one that runs has had its share; threads that have just run are not moved to idle
// cores.
#include "advisor/sim/Multicore.h"

#include <algorithm>
#include <cstring>
#include <qdadvise/locks/spin_wait.h>

namespace qdadvise::sim {

void Multicore::start() {
  events = EventQueue(threads.size() + cores.size());
  for (std::uint32_t id = 0; id < threads.size(); ++id) {
    const auto core = id % static_cast<std::uint32_t>(cores.size());
    threads[id].core = core;
    if (cores[core].running == none)
      dispatch(core, id, 0, 0);
    else
      enqueue(core, id, 0);
  }
}

/// The thread has the core from now on, and the use of it after `switching`.
void Multicore::dispatch(std::uint32_t core, std::uint32_t id, Time at, Time switching) {
  Thread &thread = threads[id];
  thread.state = State::onCore;
  thread.core = core;
  thread.overlap = 0;
  cores[core].running = id;
  cores[core].dispatched = at;
  events.set(id, at + switching + thread.remaining);
  thread.remaining = 0;
  armTimer(cores[core], at);
}

/// A core's timer ticks as long as somebody waits for the core.
void Multicore::armTimer(Core &core, Time at) {
  if (core.queue.empty() || core.running == none)
    events.clear(timerOf(core));
  else
    events.set(timerOf(core), (at / costs.timeslice + 1) * costs.timeslice);
}

/// How long the thread has run, as far as the scheduler cares.
Time Multicore::ranUntil(std::uint32_t id, Time at) const {
  const Thread &thread = threads[id];
  const Core &core = cores[thread.core];
  return thread.ran + (core.running == id ? at - core.dispatched : 0);
}

/// The mean of what the threads of a core have run: who has run less is owed something.
Time Multicore::fairShare(const Core &core, Time at) const {
  if (core.running == none)
    return core.lastShare;
  Time sum = ranUntil(core.running, at);
  for (const std::uint32_t id : core.queue)
    sum += threads[id].ran;
  return sum / static_cast<Time>(core.queue.size() + 1);
}

void Multicore::enqueue(std::uint32_t index, std::uint32_t id, Time at) {
  Core &core = cores[index];
  threads[id].state = State::ready;
  threads[id].core = index;
  core.queue.push_back(id);
  // Who has its core is left alone up to its fair share.
  const Time ran = ranUntil(core.running, at);
  if (threads[id].ran < ran && fairShare(core, at) < ran)
    events.set(timerOf(core), at);
  else
    armTimer(core, at);
  // One that spins yields at the end of its turn, if it has spun long enough, or then.
  Thread &current = threads[core.running];
  if (current.spin == Spin::watches) {
    endSpin(current, at);
    if (current.turns < spin_wait::spin_limit)
      endSpin(current, never);
  }
}

/// Out of the queue of a core: the one that has run least.
std::uint32_t Multicore::takeNext(Core &core) {
  const auto next = std::min_element(
      core.queue.begin(), core.queue.end(),
      [this](std::uint32_t a, std::uint32_t b) { return threads[a].ran < threads[b].ran; });
  const std::uint32_t id = *next;
  core.queue.erase(next);
  return id;
}

/// The thread loses its core.
void Multicore::leaveCore(Thread &thread, Time at) {
  thread.ran = ranUntil(indexOf(thread), at);
  thread.ranLast = at;
  cores[thread.core].running = none;
}

/// It sleeps or has finished; the next in its queue has the core, or one that waits for
/// another core.
void Multicore::releaseCore(Thread &thread, Time at) {
  const std::uint32_t index = thread.core;
  Core &core = cores[index];
  core.lastShare = fairShare(core, at);
  leaveCore(thread, at);
  thread.owed = std::max<Time>(0, core.lastShare - thread.ran);
  if (!core.queue.empty())
    return dispatch(index, takeNext(core), at, costs.contextSwitch);
  events.clear(timerOf(core));
  const std::uint32_t other = looksIdle(core) ? coldestThread(at) : none;
  if (other != none)
    moveTo(index, other, at);
}

/// Of the threads that wait for a core, the one that has been off it the longest: Linux
/// moves none to an idle core whose data are likely to be still in the other one's cache.
std::uint32_t Multicore::coldestThread(Time at) const {
  std::uint32_t coldest = none;
  for (const Core &core : cores)
    for (const std::uint32_t id : core.queue)
      if (threads[id].ranLast <= at - costs.migration &&
          (coldest == none || threads[id].ranLast < threads[coldest].ranLast))
        coldest = id;
  return coldest;
}

/// From its queue to an idle core.
void Multicore::moveTo(std::uint32_t index, std::uint32_t id, Time at) {
  Core &from = cores[threads[id].core];
  threads[id].ran += cores[index].lastShare - fairShare(from, at);
  std::erase(from.queue, id);
  armTimer(from, at);
  dispatch(index, id, at, costs.contextSwitch);
}

/// The timer of a core: a tick, or a woken thread comes first. Where a core has become idle
/// meanwhile, a waiting thread goes there.
void Multicore::tick(std::uint32_t index, Time at) {
  Core &core = cores[index];
  if (core.queue.empty() || core.running == none)
    return;
  const std::uint32_t idle = idleCoreNear(index);
  if (idle != none)
    return moveTo(idle, core.queue.front(), at);
  const Time ran = ranUntil(core.running, at);
  if (std::any_of(core.queue.begin(), core.queue.end(),
                  [&](std::uint32_t id) { return threads[id].ran <= ran; }))
    preempt(index, at);
  else
    armTimer(core, at);
}

void Multicore::preempt(std::uint32_t index, Time at) {
  Core &core = cores[index];
  const std::uint32_t id = core.running;
  Thread &thread = threads[id];
  if (thread.accessing) { // until it has what it asked for
    events.set(timerOf(core), events.at(id));
    return;
  }
  if (thread.spin == Spin::watches) {
    endSpin(thread, at);
    leaveLine(id);
  }
  thread.spin = Spin::no;
  thread.remaining = std::max<Time>(0, events.at(id) - at);
  events.clear(id);
  thread.state = State::ready;
  leaveCore(thread, at);
  const std::uint32_t next = takeNext(core);
  core.queue.push_back(id);
  dispatch(index, next, at, costs.contextSwitch);
}

/// Whether a core is seen to have nothing to do. Other programs make it look busy, though
/// they give it up at once.
bool Multicore::looksIdle(const Core &core) {
  return core.running == none &&
         (costs.others == 0 || !std::bernoulli_distribution(costs.others)(random));
}

/// This one, one of the same socket, or any.
std::uint32_t Multicore::idleCoreNear(std::uint32_t index) {
  if (cores[index].running == none)
    return index;
  std::uint32_t other = none;
  for (std::uint32_t core = 0; core < cores.size(); ++core) {
    if (!looksIdle(cores[core]))
      continue;
    if (cores[core].socket == cores[index].socket)
      return core;
    if (other == none)
      other = core;
  }
  return other;
}

/// A woken thread is still owed what it was when it fell asleep. What it had run too much
/// is forgotten as soon as the others have run as much; until then it is not moved.
std::uint32_t Multicore::coreFor(const Thread &thread, Time at) {
  const Core &last = cores[thread.core];
  if (last.running != none && thread.ran > fairShare(last, at))
    return thread.core;
  const std::uint32_t idle = idleCoreNear(thread.core);
  return idle == none ? thread.core : idle;
}

void Multicore::makeRunnable(std::uint32_t id, Time at) {
  Thread &thread = threads[id];
  thread.remaining = 0;
  const std::uint32_t core = coreFor(thread, at);
  const Time share = fairShare(cores[thread.core], at);
  thread.ran = std::max(thread.ran, share - thread.owed);
  if (core != thread.core)
    thread.ran += cores[core].lastShare - share;
  if (cores[core].running == none)
    dispatch(core, id, at, 0);
  else
    enqueue(core, id, at);
}

/// The thread goes behind all others of its queue.
void Multicore::yieldNow(Thread &thread) {
  spend(thread, costs.yield);
  reach(thread);
  Core &core = cores[thread.core];
  if (core.queue.empty())
    return;
  leaveCore(thread, thread.clock);
  for (const std::uint32_t id : core.queue)
    thread.ran = std::max(thread.ran, threads[id].ran);
  const std::uint32_t next = takeNext(core);
  core.queue.push_back(indexOf(thread));
  thread.state = State::ready;
  dispatch(thread.core, next, thread.clock, costs.contextSwitch);
  thread.fiber->suspend();
}

void Multicore::yield() noexcept { yieldNow(threads[running]); }

void Multicore::block(Time duration) {
  Thread &thread = threads[running];
  thread.overlap = 0;
  reach(thread);
  thread.state = State::asleep;
  events.set(running, thread.clock + duration);
  releaseCore(thread, thread.clock);
  thread.fiber->suspend();
}

void Multicore::futexWait(const void *word, std::uint32_t expected) noexcept {
  Thread &thread = threads[running];
  spend(thread, costs.sleep);
  reach(thread);
  if (std::memcmp(word, &expected, sizeof(expected)) != 0) {
    spend(thread, costs.refuse);
    return;
  }
  thread.state = State::asleep;
  thread.overlap = 0;
  sleepers[word].push_back(running);
  releaseCore(thread, thread.clock);
  thread.fiber->suspend();
}

void Multicore::futexWake(const void *word, int count) noexcept {
  Thread &thread = threads[running];
  reach(thread);
  const auto found = sleepers.find(word);
  if (found == sleepers.end() || found->second.empty()) {
    spend(thread, costs.wake);
    return;
  }
  auto &queue = found->second;
  for (; count > 0 && !queue.empty(); --count) {
    const std::uint32_t id = queue.front();
    queue.pop_front();
    const Time begin = thread.clock;
    const std::uint32_t core = coreFor(threads[id], begin);
    if (core == thread.core) { // it is put into the queue, and no other core is told
      spend(thread, costs.wake + costs.contextSwitch);
      events.set(id, thread.clock);
      continue;
    }
    const auto [latency, cost] = wakeup(begin - threads[id].ranLast);
    events.set(id, begin + latency);
    spend(thread, cost);
  }
}

/// Latency of a wake-up of who fell asleep so long ago, and its cost to the waker.
std::pair<Time, Time> Multicore::wakeup(Time asleep) {
  // Machines count from the call on.
  const WakeupCost cost = costs.wakeups.wakeupAfter(nanoseconds(asleep + costs.sleep));
  const auto draw = [this](double middle, double half) {
    return picoseconds(middle + half * std::uniform_real_distribution<double>(-1, 1)(random));
  };
  const Time latency = draw(cost.latencyNs, cost.latencyHalfNs);
  return {latency, draw(cost.wakerNs, cost.wakerHalfNs)};
}

} // namespace qdadvise::sim
