// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Multicore.h"

#include <algorithm>
#include <qdadvise/locks/spin_wait.h>
#include <utility>

namespace qdadvise::sim {

Multicore::Multicore(const MulticoreCosts &costs, std::uint64_t seed)
    : costs(costs), random(seed), cores(static_cast<std::size_t>(costs.cores)) {
  const std::size_t perSocket = (cores.size() + static_cast<std::size_t>(costs.sockets) - 1) /
                                static_cast<std::size_t>(costs.sockets);
  for (std::size_t i = 0; i < cores.size(); ++i)
    cores[i].socket = static_cast<std::uint32_t>(i / perSocket);
}

unsigned Multicore::addThread(std::function<void()> body) {
  const auto id = static_cast<std::uint32_t>(threads.size());
  threads.emplace_back();
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
  start();
  for (std::size_t alive = threads.size(); alive > 0;) {
    const Time at = events.earliest();
    if (at == never)
      return false;
    const std::size_t slot = events.first();
    if (slot >= threads.size()) {
      events.clear(slot);
      tick(static_cast<std::uint32_t>(slot - threads.size()), at);
      continue;
    }
    const auto id = static_cast<std::uint32_t>(slot);
    Thread &thread = threads[id];
    if (thread.state == State::asleep) {
      events.clear(slot);
      makeRunnable(id, at);
      continue;
    }
    thread.clock = at;
    if (thread.spin != Spin::no && goesOnSpinning(thread, at))
      continue;
    events.clear(slot);
    running = id;
    thread.fiber->resume();
    running = none;
    if (thread.fiber->finished()) {
      thread.state = State::asleep;
      releaseCore(thread, thread.clock);
      --alive;
    }
  }
  return true;
}

void Multicore::spend(Thread &thread, Time duration) {
  const Time free = std::min(duration, thread.overlap);
  thread.overlap -= free;
  thread.clock += duration - free;
}

void Multicore::waitUntil(Thread &thread, Time at) {
  events.set(indexOf(thread), at);
  thread.fiber->suspend();
}

void Multicore::reach(Thread &thread) {
  if (thread.clock >= events.earliest())
    waitUntil(thread, thread.clock);
}

void Multicore::reach() { reach(threads[running]); }

void Multicore::compute(Time duration) { spend(threads[running], duration); }

/// The access under way takes effect at that time.
void Multicore::finishAccess(Thread &thread, Time at) {
  if (at < events.earliest()) {
    thread.clock = at;
    return;
  }
  thread.accessing = true;
  waitUntil(thread, at);
  thread.accessing = false;
}

bool Multicore::hasCopies(const CacheLine &line, std::uint32_t socket) const {
  const std::size_t perSocket = (cores.size() + static_cast<std::size_t>(costs.sockets) - 1) /
                                static_cast<std::size_t>(costs.sockets);
  const std::size_t begin = socket * perSocket;
  const std::size_t end = std::min(begin + perSocket, cores.size());
  for (std::size_t core = begin; core < end;) {
    const std::size_t word = core / 64, low = core % 64;
    const std::size_t high = std::min<std::size_t>(64, low + (end - core));
    const std::uint64_t mask =
        (high == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1) >> low << low;
    if (line.copies[word] & mask)
      return true;
    core += high - low;
  }
  return false;
}

/// To fetch a copy of a line that `core` does not have, from the nearest one that does; a
/// line that nobody has comes from the socket's own memory.
Time Multicore::transfer(const CacheLine &line, std::uint32_t core) const {
  if (costs.sockets == 1 || hasCopies(line, cores[core].socket))
    return costs.sameSocket;
  for (std::uint32_t socket = 0; socket < static_cast<std::uint32_t>(costs.sockets); ++socket)
    if (hasCopies(line, socket))
      return costs.crossSocket;
  return costs.sameSocket;
}

/// To have a line alone: the time to reach the farthest copy.
Time Multicore::invalidation(const CacheLine &line, std::uint32_t core) const {
  for (std::uint32_t socket = 0; socket < static_cast<std::uint32_t>(costs.sockets); ++socket)
    if (socket != cores[core].socket && hasCopies(line, socket))
      return costs.crossSocket;
  return costs.sameSocket;
}

/// Asks for a copy of a line; when it will be there. Who finds it nowhere has it alone.
Time Multicore::copyLine(CacheLine &line, Thread &thread) {
  const Time there = std::max(thread.clock, line.busyUntil) + transfer(line, thread.core);
  line.busyUntil = there;
  if (line.isNowhere()) {
    line.giveTo(thread.core);
  } else {
    line.add(thread.core);
    line.owner = CacheLine::nobody;
  }
  return there;
}

/// Asks for a line alone; when it will be there and, `extra` later, be free for others.
Time Multicore::takeLine(CacheLine &line, Thread &thread, Time extra) {
  const Time begin = std::max(thread.clock, line.busyUntil);
  const Time there = line.owner == static_cast<std::int32_t>(thread.core)
                         ? begin
                         : begin + invalidation(line, thread.core);
  line.giveTo(thread.core);
  line.busyUntil = there + extra;
  return there;
}

void Multicore::access(const Access &access) noexcept {
  Thread &thread = threads[running];
  reach(thread);
  ++accessCount;
  CacheLine &line = lines.at(access.address);
  const bool alone = line.owner == static_cast<std::int32_t>(thread.core);
  if (access.kind == AccessKind::load) {
    if (line.isAt(thread.core)) {
      spend(thread, costs.hit);
      return;
    }
    finishAccess(thread, copyLine(line, thread));
    return;
  }
  if (access.kind == AccessKind::store && access.order != std::memory_order_seq_cst) {
    if (alone) {
      spend(thread, costs.hit);
      return;
    }
    // The thread goes on while the store is on its way. It is taken to wait here, and
    // what it does next is given the time back, up to its next read-modify-write.
    const Time before = thread.clock;
    const Time there = takeLine(line, thread, 0);
    finishAccess(thread, there);
    thread.overlap += std::max<Time>(0, there - before - costs.hit);
    wakeSpinners(line, there);
    return;
  }
  const Time there = takeLine(line, thread, costs.atomic);
  if (!alone)
    finishAccess(thread, there);
  thread.overlap = 0;
  thread.clock = std::max(thread.clock, there) + costs.atomic;
  wakeSpinners(line, there);
}

void Multicore::plainAccess(const void *address, std::size_t size, bool writes) noexcept {
  // What it costs to have the data in the cache is part of the computation that uses it.
  Thread &thread = threads[running];
  const auto begin = reinterpret_cast<std::uintptr_t>(address) / 64;
  const auto end =
      (reinterpret_cast<std::uintptr_t>(address) + std::max<std::size_t>(size, 1) - 1) / 64;
  for (std::uintptr_t number = begin; number <= end; ++number) {
    CacheLine &line = lines.at(reinterpret_cast<const void *>(number * 64));
    if (writes ? line.owner == static_cast<std::int32_t>(thread.core) : line.isAt(thread.core))
      continue;
    reach(thread);
    ++accessCount;
    finishAccess(thread, writes ? takeLine(line, thread, 0) : copyLine(line, thread));
  }
}

void Multicore::backOff(unsigned pauses) noexcept {
  spend(threads[running], costs.pause * static_cast<Time>(pauses));
}

void Multicore::spin(const SpinTarget &target, unsigned &turns) noexcept {
  Thread &thread = threads[running];
  thread.overlap = 0;
  reach(thread);
  const bool yields = turns >= spin_wait::spin_limit;
  if (target.changed() || (yields && !cores[thread.core].queue.empty())) {
    if (yields) {
      yieldNow(thread);
    } else {
      ++turns;
      spend(thread, costs.pause);
    }
    return;
  }
  thread.target = target;
  thread.spinsOn = &lines.at(target.address);
  thread.turns = turns;
  watch(thread, thread.clock);
  thread.fiber->suspend();
  turns = thread.turns;
}

/// Nothing changes before somebody writes to the line; where it has been taken away already,
/// the thread looks again at the end of its turn.
void Multicore::watch(Thread &thread, Time at) {
  thread.spinsSince = at;
  thread.turnsBefore = thread.turns;
  if (!thread.spinsOn->isAt(thread.core)) {
    thread.spin = Spin::turns;
    endSpin(thread, at);
    return;
  }
  thread.spin = Spin::watches;
  thread.spinsOn->spinners.push_back(indexOf(thread));
  if (!cores[thread.core].queue.empty())
    endSpin(thread, never);
}

/// The event of a spinning thread has come; it has another one, or none, where it goes on.
/// False where it sees something new, or yields.
bool Multicore::goesOnSpinning(Thread &thread, Time at) {
  const bool wanted = !cores[thread.core].queue.empty();
  switch (thread.spin) {
  case Spin::turns:
    if (wanted && thread.turns >= spin_wait::spin_limit)
      break;
    ++accessCount;
    thread.spin = Spin::fetches;
    thread.accessing = true;
    events.set(indexOf(thread), thread.spinsOn->isAt(thread.core)
                                    ? at + costs.hit
                                    : copyLine(*thread.spinsOn, thread));
    return true;
  case Spin::fetches:
    thread.accessing = false;
    if (thread.target.changed())
      break;
    events.clear(indexOf(thread));
    watch(thread, at);
    return true;
  default:
    leaveLine(indexOf(thread));
    return false;
  }
  thread.spin = Spin::no;
  return false;
}

/// Lets a spinning thread look again when the turn is over in which `at` lies; `never`: when
/// it would yield for the first time, or next.
void Multicore::endSpin(Thread &thread, Time at) {
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
      events.set(indexOf(thread), since);
      return;
    }
  }
  const Time made = at == never ? 1 : turnsUntil(since, yieldingTurn);
  events.set(indexOf(thread), since + made * yieldingTurn);
}

void Multicore::wakeSpinners(CacheLine &line, Time at) {
  if (line.spinners.empty())
    return;
  for (const std::uint32_t id : line.spinners) {
    Thread &thread = threads[id];
    thread.spin = Spin::turns;
    endSpin(thread, at);
  }
  line.spinners.clear();
}

/// Stops a thread from watching its line.
void Multicore::leaveLine(std::uint32_t id) {
  std::erase(threads[id].spinsOn->spinners, id);
  threads[id].spin = Spin::no;
}

void Multicore::park() { threads[running].fiber->suspend(); }

void Multicore::unpark(unsigned thread) { events.set(thread, threads[running].clock); }

} // namespace qdadvise::sim
