// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread has which core: run queues, time slices, sleeping and waking.
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
      dispatch(core, id, 0);
    else
      enqueue(core, id, 0, false);
  }
}

void Multicore::dispatch(std::uint32_t core, std::uint32_t id, Time at) {
  Thread &thread = threads[id];
  thread.state = State::onCore;
  thread.core = core;
  thread.overlap = 0;
  cores[core].running = id;
  cores[core].dispatched = at;
  events.set(id, at + thread.remaining);
  thread.remaining = 0;
  armTimer(cores[core], at);
}

/// The timer of a core runs while somebody waits for the core.
void Multicore::armTimer(Core &core, Time at) {
  if (core.queue.empty() || core.running == none)
    events.clear(timerOf(core));
  else
    events.set(timerOf(core), std::max(at, core.dispatched + costs.timeslice));
}

void Multicore::enqueue(std::uint32_t index, std::uint32_t id, Time at, bool woken) {
  Core &core = cores[index];
  threads[id].state = State::ready;
  threads[id].core = index;
  if (woken)
    core.queue.push_front(id);
  else
    core.queue.push_back(id);
  if (woken && at >= core.dispatched + costs.preemptAfter)
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

/// Its thread sleeps or has finished; the next in its queue has the core, or the first in
/// the longest queue of all.
void Multicore::releaseCore(Thread &thread, Time at) {
  const std::uint32_t index = thread.core;
  Core &core = cores[index];
  core.running = none;
  Core *from = &core;
  if (core.queue.empty())
    from = &*std::max_element(cores.begin(), cores.end(), [](const Core &a, const Core &b) {
      return a.queue.size() < b.queue.size();
    });
  if (from->queue.empty()) {
    events.clear(timerOf(core));
    return;
  }
  const std::uint32_t next = from->queue.front();
  from->queue.pop_front();
  if (from->queue.empty())
    events.clear(timerOf(*from));
  dispatch(index, next, at + costs.contextSwitch);
}

/// The time slice is over, or a woken thread comes first.
void Multicore::preempt(std::uint32_t index, Time at) {
  Core &core = cores[index];
  if (core.queue.empty() || core.running == none)
    return;
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
  const std::uint32_t next = core.queue.front();
  core.queue.pop_front();
  core.queue.push_back(id);
  dispatch(index, next, at + costs.contextSwitch);
}

/// An idle core for a thread that was woken: its last one, one of that socket, any.
std::uint32_t Multicore::idleCoreFor(const Thread &thread) const {
  if (cores[thread.core].running == none)
    return thread.core;
  std::uint32_t other = none;
  for (std::uint32_t core = 0; core < cores.size(); ++core) {
    if (cores[core].running != none)
      continue;
    if (cores[core].socket == cores[thread.core].socket)
      return core;
    if (other == none)
      other = core;
  }
  return other;
}

void Multicore::makeRunnable(std::uint32_t id, Time at) {
  const std::uint32_t core = idleCoreFor(threads[id]);
  threads[id].remaining = 0;
  if (core != none)
    dispatch(core, id, at);
  else
    enqueue(threads[id].core, id, at, true);
}

void Multicore::yieldNow(Thread &thread) {
  spend(thread, costs.yield);
  reach(thread);
  Core &core = cores[thread.core];
  if (core.queue.empty())
    return;
  const std::uint32_t next = core.queue.front();
  core.queue.pop_front();
  core.queue.push_back(indexOf(thread));
  thread.state = State::ready;
  dispatch(thread.core, next, thread.clock + costs.contextSwitch);
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
  thread.asleepSince = thread.clock;
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
    if (idleCoreFor(threads[id]) == none) { // it is put into a queue, and no core is woken
      spend(thread, costs.wake + costs.contextSwitch);
      events.set(id, thread.clock);
      continue;
    }
    const auto [latency, cost] = wakeup(begin - threads[id].asleepSince);
    events.set(id, begin + latency);
    spend(thread, cost);
  }
}

/// Latency of a wake-up and its cost to the waker: the medians of the machine, with its
/// spreads as the middle half of a uniform distribution.
std::pair<Time, Time> Multicore::wakeup(Time slept) {
  const Machine &table = costs.wakeups;
  const WakeupCost median = table.wakeupAfter(nanoseconds(slept));
  std::pair<double, double> spread{0, 0};
  for (std::size_t row = 0; row < table.wakeupSpread.size(); ++row)
    if (row == 0 || table.wakeup[row].sleptNs <= nanoseconds(slept))
      spread = table.wakeupSpread[row];
  const auto draw = [this](double middle, double range) {
    const double width = std::min(range, middle); // never less than nothing
    return picoseconds(middle + width * std::uniform_real_distribution<double>(-1, 1)(random));
  };
  const Time latency = draw(median.latencyNs, spread.first);
  return {latency, draw(median.wakerNs, spread.second)};
}

} // namespace qdadvise::sim
