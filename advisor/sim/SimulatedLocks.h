// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock algorithms that can be simulated: the shipped locks and the models of glibc's locks on
// simulated memory, behind one interface.
#pragma once

#include "advisor/sim/Multicore.h"
#include "runtime/abi/lock_algorithms.h"

#include <memory>
#include <type_traits>
#include <vector>

namespace qdadvise::sim {

/// A reference to what a critical section does, which must outlive the call.
class Operation {
public:
  template <typename Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, Operation>)
  Operation(Function &function)
      : object(&function), call([](void *what) { (*static_cast<Function *>(what))(); }) {}
  void operator()() const { call(object); }

private:
  void *object;
  void (*call)(void *);
};

class SimulatedLock {
public:
  virtual ~SimulatedLock() = default;
  /// Executes the operation, on this thread or by delegation, while no other is executed.
  virtual void exclusive(Operation operation) = 0;
  /// Executes the operation while no exclusive one is executed, where the algorithm knows the
  /// difference.
  virtual void shared(Operation operation) { exclusive(operation); }
  /// Whether a thread has the lock, for observers. It costs nothing, and no thread notices.
  virtual bool isTaken() const = 0;
  /// Runs in the lock's own thread, if its kind has one, until dismiss() is called. The last of the
  /// other threads calls that.
  virtual void serve() {}
  virtual void dismiss() {}
};

struct SimulatedKind {
  LockKind kind;
  std::unique_ptr<SimulatedLock> (*make)(Multicore &machine);
  bool hasThread = false; ///< each lock has a thread of its own
};

const std::vector<SimulatedKind> &simulatedKinds();
const SimulatedKind *findSimulatedKind(LockKind kind);

/// The time of an acquisition and a release without other threads, in nanoseconds.
double uncontendedNs(const SimulatedKind &kind, const MulticoreCosts &costs);

} // namespace qdadvise::sim
