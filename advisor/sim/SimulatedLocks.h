// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every lock algorithm that can be simulated: the shipped locks and the models of glibc's on
// simulated memory, all behind one interface.
#pragma once

#include "advisor/sim/Multicore.h"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace qdadvise::sim {

/// What a critical section does; refers to something that outlives the call.
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
  /// Executes the operation while no other is, on this thread or by delegation.
  virtual void exclusive(Operation operation) = 0;
  /// The same while no exclusive one is, where the algorithm knows the difference.
  virtual void shared(Operation operation) { exclusive(operation); }
  /// Whether somebody has it, for observers: costs nothing, and nobody notices.
  virtual bool isTaken() const = 0;
};

struct SimulatedKind {
  const char *name; ///< as in the table of lock algorithms
  bool sleeps;      ///< its waiters sleep in the kernel
  std::unique_ptr<SimulatedLock> (*make)(Multicore &machine);
};

const std::vector<SimulatedKind> &simulatedKinds();
const SimulatedKind *findSimulatedKind(const std::string &name);

/// What an acquisition and a release take a thread that is alone, in nanoseconds.
double uncontendedNs(const SimulatedKind &kind, const MulticoreCosts &costs);

} // namespace qdadvise::sim
