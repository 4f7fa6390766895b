// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/published/Locks.h"

#include "bench/published/locks/Atomics.h"
#include "bench/published/locks/DistributedMutex.h"
#include "bench/published/locks/FlatCombining.h"
#include "bench/published/locks/QueueLocks.h"
#include "bench/published/locks/SpinLocks.h"

namespace qdadvise::publication {
namespace {

/// glibc's mutex is a model that the simulator has.
std::unique_ptr<sim::SimulatedLock> makeMutex(sim::Multicore &machine) {
  return sim::findSimulatedKind(LockKind::pthreadMutex)->make(machine);
}

} // namespace

const std::vector<PublishedLock> &publishedLocks() {
  using enum LockKind;
  static const std::vector<PublishedLock> table{
      {"mutex", "mutex", {pthreadMutex, makeMutex}, true, true},
      {"tas", "test-and-set", {spinlock, makeTestAndSet}, true},
      {"tas-pause", "test-and-set", {spinlock, makeTestAndSetWithPause}, true},
      {"ttas", "test-and-test-and-set", {spinlock, makeTestTestAndSet}, true},
      {"ttas-pause", "test-and-test-and-set", {spinlock, makeTestTestAndSetWithPause}, true},
      {"ttas-backoff", "test-and-test-and-set", {spinlock, makeTestAndSetWithBackOff}, true},
      {"micro-spin", "test-and-test-and-set", {spinlock, makeMicroSpin}, true, true},
      {"pico-spin", "test-and-set", {spinlock, makePicoSpin}, true, true},
      {"ticket", "queue", {ticket, makeTicket}, true},
      {"linux-ticket", "queue", {ticket, makeLinuxTicket}, true},
      {"mcs", "queue", {mcs, makeMcs}, true},
      {"linux-queued", "queue", {mcs, makeLinuxQueued}, true},
      {"distributed-mutex",
       "queue",
       {mcs, makeDistributedMutex},
       true,
       true,
       0,
       makeStrictDistributedMutex},
      {"distributed-mutex-combining",
       "delegation",
       {qd, makeCombiningDistributedMutex},
       true,
       true},
      {"flat-combining", "delegation", {qd, makeFlatCombining}, true, false, 1},
      {"folly-flat-combining", "delegation", {qd, makeFollyFlatCombining, true}, false},
      {"fetch-add", "atomic", {spinlock, makeFetchAdd}, false},
      {"incdec", "atomic", {spinlock, makeIncrementDecrement}, false},
      {"cas-loop", "atomic", {spinlock, makeCompareAndSwapLoop}, false},
      {"fetch-xor", "atomic", {spinlock, makeFetchXor}, false},
      {"cas-lockref", "atomic", {spinlock, makeLockRef}, false},
  };
  return table;
}

const PublishedLock *findLock(std::string_view name) {
  for (const PublishedLock &lock : publishedLocks())
    if (lock.name == name)
      return &lock;
  return nullptr;
}

} // namespace qdadvise::publication
