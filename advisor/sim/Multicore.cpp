// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Multicore.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace qdadvise::sim {

using State = MulticoreThread::State;
using Spin = MulticoreThread::Spin;

Multicore::Multicore(const MulticoreCosts &given, std::uint64_t seed)
    : costs(given), caches(costs), requests(threads, events, caches, costs, seed),
      spins(threads, events, caches, requests, costs),
      scheduler(threads, events, spins, costs, seed) {}

unsigned Multicore::addThread(std::function<void()> body) {
  const auto id = static_cast<std::uint32_t>(threads.size());
  threads.emplace_back().id = id;
  threads[id].fiber = std::make_unique<Fiber>();
  threads[id].fiber->start([this, id, function = std::move(body)] {
    function();
    reach(threads[id]);
  });
  return id;
}

bool Multicore::run() {
  struct Current {
    VirtualMachine *before = current;
    ~Current() { current = before; }
  } const restored;
  current = this;
  scheduler.start();
  for (std::size_t alive = threads.size(); alive > 0;) {
    const Time at = events.earliest();
    if (at == never)
      return false;
    const std::size_t slot = events.first();
    if (slot >= threads.size()) {
      events.clear(slot);
      scheduler.tick(static_cast<std::uint32_t>(slot - threads.size()), at);
      continue;
    }
    const auto id = static_cast<std::uint32_t>(slot);
    MulticoreThread &thread = threads[id];
    if (thread.state == State::asleep) {
      events.clear(slot);
      scheduler.makeRunnable(thread, at);
      continue;
    }
    thread.clock = at;
    if (thread.request.line) {
      requests.goOn(thread, at);
      continue;
    }
    if (thread.spin != Spin::no && spins.goesOn(thread, at, scheduler.isWanted(thread.core)))
      continue;
    events.clearFirst();
    running = id;
    thread.fiber->resume();
    running = noIndex;
    if (thread.fiber->finished()) {
      thread.state = State::asleep;
      scheduler.release(thread, thread.clock);
      --alive;
    }
  }
  return true;
}

void Multicore::spend(MulticoreThread &thread, Time duration) {
  const Time free = std::min(duration, thread.overlap);
  thread.overlap -= free;
  thread.clock += duration - free;
}

void Multicore::waitUntil(MulticoreThread &thread, Time at) {
  events.set(thread.id, at);
  thread.fiber->suspend();
}

void Multicore::reach(MulticoreThread &thread) {
  if (thread.clock >= events.earliest())
    waitUntil(thread, thread.clock);
}

void Multicore::reach() { reach(threads[running]); }

void Multicore::compute(Time duration) {
  MulticoreThread &thread = threads[running];
  if (!scheduler.shareCores()) {
    spend(thread, duration);
    return;
  }
  // Computations begin and end in the order of time.
  for (reach(thread); duration > 0; duration = scheduler.takeLost(thread)) {
    spend(thread, scheduler.beginToCompute(thread, duration));
    reach(thread);
  }
}

/// Waits until the access under way takes effect.
void Multicore::finishAccess(MulticoreThread &thread, Time at) {
  if (at < events.earliest()) {
    thread.clock = at;
    return;
  }
  thread.accessing = true;
  waitUntil(thread, at);
  thread.accessing = false;
}

/// Waits until the thread's core has the line.
void Multicore::get(MulticoreThread &thread, CacheLine &line, Need need) {
  if (const auto there = requests.ask(thread, line, need, thread.clock)) {
    finishAccess(thread, *there);
    return;
  }
  thread.accessing = true;
  thread.fiber->suspend();
  thread.accessing = false;
}

Need Multicore::needOf(const Access &access) const {
  if (access.kind == AccessKind::load)
    return Need::copy;
  if (costs.farInterval == 0 || access.kind == AccessKind::store)
    return Need::alone;
  const bool waits = access.isResultRead || access.order != std::memory_order_relaxed;
  return waits ? Need::atHome : Need::posted;
}

void Multicore::access(const Access &access) noexcept {
  MulticoreThread &thread = threads[running];
  reach(thread);
  ++accessCount;
  CacheLine &line = caches.at(access.address);
  const Need need = needOf(access);
  if (thread.newLinesAt >= 0)
    caches.placeIfNew(line, static_cast<std::uint32_t>(thread.newLinesAt));
  const bool isPlain =
      access.kind == AccessKind::load ||
      (access.kind == AccessKind::store && access.order != std::memory_order_seq_cst);
  auto here = caches.has(line, thread.core, need, thread.clock);
  if (here && !isPlain && thread.drained > thread.clock) {
    finishAccess(thread, thread.drained);
    here = caches.has(line, thread.core, need, thread.clock);
  }
  if (here && *here > thread.clock)
    finishAccess(thread, *here);
  if (access.kind == AccessKind::load) {
    if (here)
      spend(thread, costs.hit);
    else
      get(thread, line, need);
    return;
  }
  const bool upgrades = here && !line.isWritten && costs.readsGetAlone();
  if (here)
    line.isWritten = true;
  if (isPlain) {
    if (here) {
      spend(thread, costs.hit);
      thread.drained = thread.clock + costs.drain;
    } else {
      // The thread goes on while the store is on its way. It waits here, and what it does next gets
      // the time back, up to its next read-modify-write.
      const Time before = thread.clock;
      get(thread, line, need);
      thread.overlap += std::max<Time>(0, thread.clock - before - costs.hit);
    }
    spins.wake(line, thread.clock);
    return;
  }
  if (!here)
    get(thread, line, need);
  thread.overlap = 0;
  spins.wake(line, thread.clock);
  thread.clock += here || need == Need::alone ? costs.atomic : costs.hit;
  if (upgrades)
    thread.clock += costs.upgrade;
}

void Multicore::plainAccess(const void *address, std::size_t size, bool writes) noexcept {
  // What a hit costs is part of the computation that uses the data.
  MulticoreThread &thread = threads[running];
  const Need need = writes ? Need::alone : Need::copy;
  const auto begin = reinterpret_cast<std::uintptr_t>(address) / 64;
  const auto end =
      (reinterpret_cast<std::uintptr_t>(address) + std::max<std::size_t>(size, 1) - 1) / 64;
  // A processor asks for several lines at a time, and waits until it has all of them.
  Time asked = 0, last = 0;
  for (std::uintptr_t number = begin; number <= end; ++number) {
    CacheLine &line = caches.at(reinterpret_cast<const void *>(number * 64));
    auto there = caches.has(line, thread.core, need, thread.clock);
    if (there && writes)
      line.isWritten = true;
    if (there && *there <= thread.clock)
      continue;
    if (asked == 0) {
      reach(thread);
      asked = thread.clock;
    }
    ++accessCount;
    if (!there && line.waiting.empty() && line.freeAt <= asked)
      there = requests.askAtOnce(thread, line, need, asked);
    if (there) {
      last = std::max(last + costs.copyInterval, *there);
    } else {
      get(thread, line, need);
      asked = thread.clock;
    }
  }
  if (last > thread.clock)
    finishAccess(thread, last);
}

void Multicore::backOff(unsigned pauses) noexcept {
  spend(threads[running], costs.pause * static_cast<Time>(pauses));
}

void Multicore::spin(const SpinTarget &target, unsigned &turns) noexcept {
  MulticoreThread &thread = threads[running];
  thread.overlap = 0;
  reach(thread);
  const bool yields = turns >= SpinWaits::turnsBeforeYield(target);
  if (target.changed() || (yields && scheduler.isWanted(thread.core))) {
    if (yields) {
      yieldNow(thread);
    } else {
      ++turns;
      spend(thread, target.turn == SpinTurn::nothing ? 0 : costs.pause);
    }
    return;
  }
  thread.target = target;
  thread.spinsOn = &caches.at(target.address);
  thread.turns = turns;
  spins.watch(thread, thread.clock, scheduler.isWanted(thread.core));
  thread.fiber->suspend();
  turns = thread.turns;
}

void Multicore::yieldNow(MulticoreThread &thread) {
  spend(thread, costs.yield);
  reach(thread);
  if (scheduler.yield(thread))
    thread.fiber->suspend();
}

void Multicore::yield() noexcept { yieldNow(threads[running]); }

void Multicore::block(Time duration) {
  MulticoreThread &thread = threads[running];
  thread.overlap = 0;
  reach(thread);
  thread.state = State::asleep;
  events.set(running, thread.clock + duration);
  scheduler.release(thread, thread.clock);
  thread.fiber->suspend();
}

/// The kernel's list of sleepers has a lock, for which calls wait in order.
void Multicore::lockFutex(MulticoreThread &thread, Futex &futex) {
  reach(thread);
  const Time held = costs.sleep / 4;
  if (futex.freeAt > thread.clock)
    waitUntil(thread, futex.freeAt += held + costs.sameSocket);
  else
    futex.freeAt = thread.clock + held;
}

void Multicore::futexWait(const void *word, std::uint32_t expected) noexcept {
  MulticoreThread &thread = threads[running];
  spend(thread, costs.sleep);
  Futex &futex = futexes[word];
  lockFutex(thread, futex);
  if (std::memcmp(word, &expected, sizeof(expected)) != 0) {
    spend(thread, costs.refuse);
    return;
  }
  thread.state = State::asleep;
  thread.overlap = 0;
  futex.sleepers.push_back(running);
  scheduler.release(thread, thread.clock);
  thread.fiber->suspend();
}

void Multicore::futexWake(const void *word, int count) noexcept {
  MulticoreThread &thread = threads[running];
  reach(thread);
  Futex &futex = futexes[word];
  if (futex.sleepers.empty() && futex.freeAt <= thread.clock) {
    spend(thread, costs.wake);
    return;
  }
  lockFutex(thread, futex);
  auto &queue = futex.sleepers;
  if (queue.empty())
    spend(thread, costs.wake);
  for (; count > 0 && !queue.empty(); --count) {
    const std::uint32_t id = queue.front();
    queue.pop_front();
    const Time begin = thread.clock;
    const std::uint32_t core = scheduler.coreFor(threads[id], begin);
    if (core == thread.core) { // the thread is put into the queue, and no other core is told
      spend(thread, costs.wake + costs.contextSwitch);
      events.set(id, thread.clock);
      continue;
    }
    const auto [latency, cost] = scheduler.wakeup(begin - threads[id].ranLast);
    events.set(id, begin + latency);
    spend(thread, cost);
  }
}

void Multicore::park() { threads[running].fiber->suspend(); }

void Multicore::unpark(unsigned thread) { events.set(thread, threads[running].clock); }

} // namespace qdadvise::sim
