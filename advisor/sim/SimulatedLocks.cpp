// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/SimulatedLocks.h"

#include "advisor/sim/SimulatedMemory.h"
#include "runtime/locks/models/glibc_mutex.h"
#include "runtime/locks/models/glibc_rwlock.h"

#include <deque>
#include <qdadvise/locks/all_locks.h>
#include <utility>

namespace qdadvise::sim {
namespace {

/// The queue of the textbooks: first come, first served, in no time.
class IdealLock final : public SimulatedLock {
public:
  explicit IdealLock(Multicore &machine) : machine(machine) {}
  void exclusive(Operation operation) override {
    machine.reach();
    if (taken) {
      queue.push_back(machine.threadIndex());
      machine.park();
    }
    taken = true;
    operation();
    machine.reach();
    if (queue.empty()) {
      taken = false;
      return;
    }
    machine.unpark(queue.front()); // the lock belongs to that thread from now on
    queue.pop_front();
  }

  bool isTaken() const override { return taken; }

private:
  Multicore &machine;
  bool taken = false;
  std::deque<unsigned> queue;
};

template <typename Lock>
concept Delegating = requires(Lock lock, Operation operation) { lock.delegate(operation); };
template <typename Lock>
concept SharedLockable = requires(Lock lock) { lock.lock_shared(); };

/// A shipped lock, on lines of its own.
template <typename Lock> class ShippedLock final : public SimulatedLock {
public:
  void exclusive(Operation operation) override {
    if constexpr (Delegating<Lock>) {
      lock.delegate(operation);
    } else {
      lock.lock();
      operation();
      lock.unlock();
    }
  }
  void shared(Operation operation) override {
    if constexpr (SharedLockable<Lock>) {
      lock.lock_shared();
      operation();
      lock.unlock_shared();
    } else {
      exclusive(operation);
    }
  }

  bool isTaken() const override {
    // Without a machine, an access is an ordinary one.
    VirtualMachine *const machine = std::exchange(VirtualMachine::current, nullptr);
    const bool taken = lock.looks_taken();
    VirtualMachine::current = machine;
    return taken;
  }

private:
  alignas(64) Lock lock;
};

template <typename Lock> std::unique_ptr<SimulatedLock> make(Multicore &machine) {
  if constexpr (std::is_constructible_v<Lock, Multicore &>)
    return std::make_unique<Lock>(machine);
  else
    return std::make_unique<ShippedLock<Lock>>();
}

} // namespace

const std::vector<SimulatedKind> &simulatedKinds() {
  static const std::vector<SimulatedKind> table{
      {LockKind::ideal, make<IdealLock>},
      {LockKind::pthreadMutex, make<models::glibc_mutex<SimulatedMemory>>},
      {LockKind::spinlock, make<basic_spinlock<SimulatedMemory>>},
      {LockKind::qd, make<basic_qd_lock<64, SimulatedMemory>>},
      {LockKind::ticket, make<basic_ticket_lock<SimulatedMemory>>},
      {LockKind::mcs, make<basic_mcs_lock<SimulatedMemory>>},
      {LockKind::clh, make<basic_clh_lock<60, SimulatedMemory>>},
      {LockKind::mrqd, make<basic_mrqd_lock<64, SimulatedMemory>>},
      {LockKind::pthreadRwlock, make<models::glibc_rwlock<SimulatedMemory>>},
  };
  return table;
}

const SimulatedKind *findSimulatedKind(LockKind kind) {
  for (const SimulatedKind &row : simulatedKinds())
    if (kind == row.kind)
      return &row;
  return nullptr;
}

double uncontendedNs(const SimulatedKind &kind, const MulticoreCosts &costs) {
  Multicore machine(costs);
  const auto lock = kind.make(machine);
  constexpr int rounds = 100;
  double result = 0;
  machine.addThread([&] {
    auto nothing = [] {};
    lock->exclusive(nothing); // its lines are in the cache from now on
    const Time begin = machine.clock();
    for (int i = 0; i < rounds; ++i)
      lock->exclusive(nothing);
    result = nanoseconds(machine.clock() - begin) / rounds;
  });
  machine.run();
  return result;
}

} // namespace qdadvise::sim
