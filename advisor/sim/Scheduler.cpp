// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Scheduler.h"

#include "advisor/sim/Distributions.h"

#include <algorithm>

namespace qdadvise::sim {

using State = MulticoreThread::State;
using Spin = MulticoreThread::Spin;

Scheduler::Scheduler(std::vector<MulticoreThread> &threads, EventQueue &events, SpinWaits &spins,
                     const MulticoreCosts &costs, std::uint64_t seed)
    : threads(threads), events(events), spins(spins), costs(costs), random(seed),
      cores(static_cast<std::size_t>(costs.cores)) {
  const Processors processors(costs.cores, costs.sockets, costs.threadsPerCore);
  order = processors.order(costs.placement);
  std::rotate(order.begin(), order.begin() + costs.firstProcessor % costs.cores, order.end());
  for (int core = 0; core < costs.cores; ++core) {
    Core &one = cores[static_cast<std::size_t>(core)];
    one.socket = static_cast<std::uint32_t>(processors.socketOf(core));
    for (int other = 0; costs.threadsPerCore > 1 && other < costs.cores; ++other)
      if (other != core && processors.coreOf(other) == processors.coreOf(core))
        one.siblings.push_back(static_cast<std::uint32_t>(other));
  }
}

void Scheduler::start() {
  events = EventQueue(threads.size(), cores.size());
  // Which of the threads is where has nothing to do with what it does.
  if (costs.sockets > 1 || costs.threadsPerCore > 1)
    std::shuffle(order.begin(),
                 order.begin() +
                     static_cast<std::ptrdiff_t>(std::min(threads.size(), order.size())),
                 random);
  for (std::uint32_t id = 0; id < threads.size(); ++id) {
    const auto core = static_cast<std::uint32_t>(order[id % order.size()]);
    threads[id].core = core;
    if (cores[core].running == noIndex)
      dispatch(core, id, 0, 0);
    else
      enqueue(core, id, 0);
  }
}

Time Scheduler::beginToCompute(const MulticoreThread &thread, Time duration) {
  Core &core = cores[thread.core];
  const double slower = 1 - 1 / costs.sharedCoreFactor;
  const auto lostIn = [slower](Time both) {
    return static_cast<Time>(static_cast<double>(both) * slower);
  };
  Time beside = 0;
  for (const std::uint32_t index : core.siblings)
    beside = std::max(beside, cores[index].computesUntil - thread.clock);
  const Time all = static_cast<Time>(static_cast<double>(duration) * costs.sharedCoreFactor);
  const Time length = std::min(all, duration + lostIn(beside));
  for (const std::uint32_t index : core.siblings) {
    Core &other = cores[index];
    other.lost += lostIn(std::clamp<Time>(other.computesUntil - thread.clock, 0, length));
  }
  core.computesUntil = thread.clock + length;
  return length;
}

/// The thread has the core from now on, and can use it after `switching`.
void Scheduler::dispatch(std::uint32_t core, std::uint32_t id, Time at, Time switching) {
  MulticoreThread &thread = threads[id];
  thread.state = State::onCore;
  thread.core = core;
  thread.overlap = 0;
  cores[core].running = id;
  cores[core].dispatched = at;
  events.set(id, at + switching + thread.remaining);
  thread.remaining = 0;
  armTimer(core, at);
}

/// A core's timer ticks as long as a thread waits for the core.
void Scheduler::armTimer(std::uint32_t index, Time at) {
  const Core &core = cores[index];
  if (core.queue.empty() || core.running == noIndex)
    events.clear(timerOf(index));
  else
    events.set(timerOf(index), (at / costs.timeslice + 1) * costs.timeslice);
}

/// How long the thread has run, as the scheduler counts it.
Time Scheduler::ranUntil(std::uint32_t id, Time at) const {
  const MulticoreThread &thread = threads[id];
  const Core &core = cores[thread.core];
  return thread.ran + (core.running == id ? at - core.dispatched : 0);
}

/// The mean of what the threads of a core have run. A thread that has run less is owed the rest.
Time Scheduler::fairShare(const Core &core, Time at) const {
  if (core.running == noIndex)
    return core.lastShare;
  Time sum = ranUntil(core.running, at);
  for (const std::uint32_t id : core.queue)
    sum += threads[id].ran;
  return sum / static_cast<Time>(core.queue.size() + 1);
}

void Scheduler::enqueue(std::uint32_t index, std::uint32_t id, Time at) {
  Core &core = cores[index];
  threads[id].state = State::ready;
  threads[id].core = index;
  putInto(core, id);
  // The thread that has the core keeps it up to its fair share.
  const Time ran = ranUntil(core.running, at);
  if (threads[id].ran < ran && fairShare(core, at) < ran)
    events.set(timerOf(index), at);
  else
    armTimer(index, at);
  // A thread that spins yields at the end of its turn, or when it has spun long enough.
  MulticoreThread &current = threads[core.running];
  if (current.spin == Spin::watches) {
    spins.end(current, at);
    if (current.turns < SpinWaits::turnsBeforeYield(current.target))
      spins.end(current, never);
  }
}

/// Takes the thread that has run least out of the queue of a core.
std::uint32_t Scheduler::takeNext(Core &core) {
  const auto next = std::min_element(
      core.queue.begin(), core.queue.end(),
      [this](std::uint32_t a, std::uint32_t b) { return threads[a].ran < threads[b].ran; });
  const std::uint32_t id = *next;
  core.queue.erase(next);
  --waiting;
  return id;
}

void Scheduler::putInto(Core &core, std::uint32_t id) {
  core.queue.push_back(id);
  ++waiting;
}

void Scheduler::leaveCore(MulticoreThread &thread, Time at) {
  thread.ran = ranUntil(thread.id, at);
  thread.ranLast = at;
  cores[thread.core].running = noIndex;
}

void Scheduler::release(MulticoreThread &thread, Time at) {
  const std::uint32_t index = thread.core;
  Core &core = cores[index];
  core.lastShare = fairShare(core, at);
  leaveCore(thread, at);
  thread.owed = std::max<Time>(0, core.lastShare - thread.ran);
  if (!core.queue.empty())
    return dispatch(index, takeNext(core), at, costs.contextSwitch);
  events.clear(timerOf(index));
  const std::uint32_t other = looksIdle(core) ? coldestThread(at) : noIndex;
  if (other != noIndex)
    moveTo(index, other, at);
}

/// The thread that has waited longest for a core. Linux moves no thread to an idle core whose data
/// are probably still in the cache of its own core.
std::uint32_t Scheduler::coldestThread(Time at) const {
  std::uint32_t coldest = noIndex;
  if (waiting == 0)
    return coldest;
  for (const Core &core : cores)
    for (const std::uint32_t id : core.queue)
      if (threads[id].ranLast <= at - costs.migration &&
          (coldest == noIndex || threads[id].ranLast < threads[coldest].ranLast))
        coldest = id;
  return coldest;
}

/// Moves a thread from its queue to an idle core.
void Scheduler::moveTo(std::uint32_t index, std::uint32_t id, Time at) {
  const std::uint32_t from = threads[id].core;
  threads[id].ran += cores[index].lastShare - fairShare(cores[from], at);
  std::erase(cores[from].queue, id);
  --waiting;
  armTimer(from, at);
  dispatch(index, id, at, costs.contextSwitch);
}

void Scheduler::tick(std::uint32_t index, Time at) {
  Core &core = cores[index];
  if (core.queue.empty() || core.running == noIndex)
    return;
  const std::uint32_t idle = idleCoreNear(index);
  if (idle != noIndex)
    return moveTo(idle, core.queue.front(), at);
  const Time ran = ranUntil(core.running, at);
  if (std::any_of(core.queue.begin(), core.queue.end(),
                  [&](std::uint32_t id) { return threads[id].ran <= ran; }))
    preempt(index, at);
  else
    armTimer(index, at);
}

void Scheduler::preempt(std::uint32_t index, Time at) {
  Core &core = cores[index];
  const std::uint32_t id = core.running;
  MulticoreThread &thread = threads[id];
  if (thread.accessing) { // it keeps the core until it has what it asked for
    const Time there = thread.request.line ? at + costs.sameSocket : events.at(id);
    events.set(timerOf(index), std::max(at + 1, there));
    return;
  }
  if (thread.spin == Spin::watches) {
    spins.end(thread, at);
    spins.leave(thread);
  }
  thread.spin = Spin::no;
  thread.remaining = std::max<Time>(0, events.at(id) - at);
  events.clear(id);
  thread.state = State::ready;
  leaveCore(thread, at);
  const std::uint32_t next = takeNext(core);
  putInto(core, id);
  dispatch(index, next, at, costs.contextSwitch);
}

/// Whether a core seems to have nothing to do. Other programs make it look busy, though they give
/// it up at once.
bool Scheduler::looksIdle(const Core &core) {
  return core.running == noIndex && (costs.others == 0 || uniform(random) >= costs.others);
}

/// Whether another hardware thread of the core runs.
bool Scheduler::isSharedNow(const Core &core) const {
  return std::any_of(core.siblings.begin(), core.siblings.end(),
                     [this](std::uint32_t other) { return cores[other].running != noIndex; });
}

/// Returns this core if it is idle, else an idle one of the same socket, else any idle one. Of
/// hardware threads, one that has a core for itself comes first, as Linux chooses them.
std::uint32_t Scheduler::idleCoreNear(std::uint32_t index) {
  if (cores[index].running == noIndex)
    return index;
  std::uint32_t best = noIndex;
  int least = 4;
  for (std::uint32_t core = 0; core < cores.size() && least > 0; ++core) {
    if (cores[core].running != noIndex)
      continue;
    const int distance =
        (cores[core].socket == cores[index].socket ? 0 : 2) + (isSharedNow(cores[core]) ? 1 : 0);
    if (distance < least && looksIdle(cores[core])) {
      best = core;
      least = distance;
    }
  }
  return best;
}

/// A woken thread is owed as much as when it fell asleep. If it had run too much, it is not moved
/// until the others have run as much.
std::uint32_t Scheduler::coreFor(const MulticoreThread &thread, Time at) {
  const Core &last = cores[thread.core];
  if (last.running != noIndex && thread.ran > fairShare(last, at))
    return thread.core;
  const std::uint32_t idle = idleCoreNear(thread.core);
  return idle == noIndex ? thread.core : idle;
}

void Scheduler::makeRunnable(MulticoreThread &thread, Time at) {
  thread.remaining = 0;
  const std::uint32_t core = coreFor(thread, at);
  const Time share = fairShare(cores[thread.core], at);
  thread.ran = std::max(thread.ran, share - thread.owed);
  if (core != thread.core)
    thread.ran += cores[core].lastShare - share;
  if (cores[core].running == noIndex)
    dispatch(core, thread.id, at, 0);
  else
    enqueue(core, thread.id, at);
}

bool Scheduler::yield(MulticoreThread &thread) {
  Core &core = cores[thread.core];
  if (core.queue.empty())
    return false;
  leaveCore(thread, thread.clock);
  for (const std::uint32_t id : core.queue)
    thread.ran = std::max(thread.ran, threads[id].ran);
  const std::uint32_t next = takeNext(core);
  putInto(core, thread.id);
  thread.state = State::ready;
  dispatch(thread.core, next, thread.clock, costs.contextSwitch);
  return true;
}

std::pair<Time, Time> Scheduler::wakeup(Time asleep) {
  // Machines count from the call on.
  const WakeupCost cost = costs.wakeups.wakeupAfter(nanoseconds(asleep + costs.sleep));
  const auto draw = [this](double middle, double half) {
    return picoseconds(middle + half * (2 * uniform(random) - 1));
  };
  const Time latency = draw(cost.latencyNs, cost.latencyHalfNs);
  return {latency, draw(cost.wakerNs, cost.wakerHalfNs)};
}

} // namespace qdadvise::sim
