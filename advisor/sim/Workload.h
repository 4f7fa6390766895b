// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network as simulated threads: what they do, section by section, and what is counted.
#pragma once

#include "advisor/network/Network.h"
#include "advisor/sim/Distributions.h"
#include "advisor/sim/Estimates.h"
#include "advisor/sim/Multicore.h"
#include "advisor/sim/SimulatedLocks.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace qdadvise::sim {

/// How one lock class is simulated.
struct LockSetup {
  const SimulatedKind *kind = nullptr;
  /// The computation of the algorithm beside its accesses to shared memory. The thread that takes
  /// the lock does half of it before the section and half after it, while it holds the lock.
  Time extra = 0;
};

struct WorkloadOptions {
  std::uint64_t seed = 1;
  int dataLines = 0; ///< cache lines of a lock's data that every section writes
  /// Of so many independent runs, which one this is: their threads begin at places of the routing
  /// that are spread over all runs.
  int run = 0, runs = 1;
};

/// The class of a thread, and where it begins.
struct ThreadPlan {
  std::size_t threadClass = 0;
  std::size_t part = 0;       ///< of all routings, as trafficOf has them
  ChoiceSampler firstSection; ///< by section, as likely as a thread is on its way from there
};

/// What threads do in one part of the routing. A step begins where a thread leaves an outermost
/// section, and ends where it leaves the next.
struct RoutingSteps {
  std::vector<double> shares; ///< of the steps, by the section that they begin at; 0 at inner ones
  std::vector<double> stepNs; ///< mean length, where nobody waits
  double sectionsPerStep = 1; ///< inner ones included
};
/// As trafficOf has them.
std::vector<RoutingSteps> routingSteps(const Network &network);

/// Threads that scale are divided among classes by weight; threads of fixed classes follow. Where
/// the routing of a class falls into parts, its threads are divided among these in the same way.
/// With `onlyPart`, all threads that scale go through that part.
std::vector<ThreadPlan> planThreads(const Network &network, int scalingThreads,
                                    std::optional<std::size_t> onlyPart = {});

/// A lock class with more instances is simulated with this many.
inline constexpr std::uint32_t mostInstances = 65536;

/// Threads that belong to locks.
std::size_t threadsOfLocks(const Network &network, const std::vector<LockSetup> &locks);

/// Runs once. The quantities of `counted` are those of Quantity, followed by those of LockQuantity
/// for each lock and by those of ClassQuantity for each thread class.
class Workload {
public:
  enum Quantity : std::size_t { elapsed, completed, quantities };
  enum LockQuantity : std::size_t {
    acquisitions,
    residence, ///< ns from the attempt until the thread goes on
    hold,      ///< ns of the section's own time and of the time at locks inside
    found,     ///< acquisitions that found the lock taken
    busy,      ///< ns in which the busiest instance was held
    lockQuantities
  };
  enum ClassQuantity : std::size_t {
    classSections, ///< completed, inner ones included
    cycles,        ///< from an outermost section to the next
    cycleTime,     ///< ns
    waiting,       ///< ns at locks, without the time in sections
    classQuantities
  };
  static std::size_t quantityOf(std::size_t lock, LockQuantity quantity) {
    return quantities + lock * lockQuantities + quantity;
  }
  static std::size_t quantityOf(const Network &network, std::size_t threadClass,
                                ClassQuantity quantity) {
    return quantityOf(network.locks.size(), LockQuantity{}) + threadClass * classQuantities +
           quantity;
  }

  Workload(const Network &network, const std::vector<LockSetup> &locks,
           const std::vector<ThreadPlan> &plan, const MulticoreCosts &costs,
           const WorkloadOptions &options);

  /// Runs until `enough`, which is called whenever a batch is complete, returns true. It is told
  /// whether all batches are full. Returns false where threads wait for each other for ever.
  bool run(const std::function<bool(bool full)> &enough);

  const BatchMeans &counted() const { return means; }
  std::uint64_t accesses() const { return machine.accesses(); }
  /// The steps that threads made.
  struct Steps {
    std::uint64_t count = 0;
    double ns = 0;
  };
  /// By part of the routing, by the section that they began at.
  const std::vector<std::vector<Steps>> &steps() const { return taken; }
  /// The virtual time so far.
  Time length() const { return latest; }
  /// The number of threads that have been at a lock for more than half of the time, and still
  /// are.
  std::size_t starving() const { return starvingAtEnd; }

private:
  struct Instance {
    std::unique_ptr<SimulatedLock> lock;
    std::unique_ptr<std::byte[]> data;
    std::uint32_t inside = 0;
    Time busySince = 0;
  };
  struct LockState {
    LockSetup setup;
    ChoiceSampler choice; ///< among instances with shares of their own, then all others together
    std::size_t others = 0, withShares = 0, busiest = 0;
    double own = 0;                                      ///< as the network's
    bool perThread = false;                              ///< instances have the numbers of threads
    std::unordered_map<std::size_t, Instance> instances; ///< those that have been used
  };
  struct Row {
    ChoiceSampler choice;
    std::vector<std::size_t> transitions;
  };
  struct Nested {
    std::size_t section;
    double visits;
  };
  struct SectionState {
    TimeSampler hold;
    std::vector<Nested> nested;
  };
  struct Held {
    std::size_t lock, instance;
  };
  struct ThreadState {
    Random random;
    std::size_t number = 0;
    std::vector<Held> held;
    bool arrived = false; ///< at a lock, while it holds none
    Time since = 0;
  };

  static constexpr Time startInterval = 500'000; ///< longer than most locks take for a thread
  void addThreadsOfLocks();
  void leave();
  void runThread(const ThreadPlan &plan, ThreadState &thread);
  Time visit(std::size_t section, ThreadState &thread);
  Time execute(std::size_t section, ThreadState &thread);
  std::size_t chooseInstance(std::size_t lock, ThreadState &thread);
  Instance &instanceOf(std::size_t lock, std::size_t index);
  void enter(Instance &instance);
  void leave(std::size_t lock, std::size_t index, Instance &instance);
  void touchData(Instance &instance);
  void complete(Time at);
  void count(const ThreadState &thread, ClassQuantity quantity, double amount);
  std::size_t findStarving() const;

  const Network &network;
  Multicore machine;
  WorkloadOptions options;
  std::vector<ThreadPlan> plan;
  std::vector<LockState> locks;
  std::vector<SectionState> sections;
  std::vector<std::vector<Row>> rows; ///< by class, by section
  std::vector<TimeSampler> local, blocked;
  std::vector<std::vector<Steps>> taken;
  std::vector<std::unique_ptr<ThreadState>> states;
  BatchMeans means;
  Random placing; ///< of the lines of locks before the simulation
  std::function<bool(bool)> enough;
  std::size_t starvingAtEnd = 0, working = 0; ///< threads
  Time latest = 0;                            ///< of completions
  Time startSpread = 0;                       ///< within which threads begin
  bool stopped = false;
};

} // namespace qdadvise::sim
