// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything a network can say, simulated: classes, routing, nesting, instances, readers,
// blocked time, distributions, cores.
#include "advisor/sim/Workload.h"
#include "RandomNetworks.h"
#include "advisor/machine/BundledMachines.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/MulticoreCosts.h"
#include "advisor/sim/Simulate.h"
#include "advisor/sim/SimulatedMemory.h"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise::sim {

namespace {

using namespace test;

Simulation simulated(const Network &network, LockKind kind, int threads,
                     const SimulateOptions &options = {.precision = 0.02},
                     const Machine &machine = genericMachine()) {
  const auto result = simulate(network, std::vector<LockKind>(network.locks.size(), kind), machine,
                               threads, options);
  EXPECT_TRUE(result) << result.error().message;
  return *result;
}

std::string refusal(const Network &network, LockKind kind, int threads,
                    const Machine &machine = genericMachine()) {
  const auto result =
      simulate(network, std::vector<LockKind>(network.locks.size(), kind), machine, threads);
  return result ? "" : result.error().message;
}

TEST(Distributions, HaveTheMeanAndTheVariationAskedFor) {
  Random random(5);
  for (const Duration &duration :
       {Duration{100, 0}, Duration{100, 1}, Duration{100, 0.6}, Duration{100, 2.5},
        Duration{100, 0.5, Distribution::uniform}, Duration{100, 1.5, Distribution::gamma},
        Duration{100, 1, Distribution::exponential}, Duration{100, 1, Distribution::lognormal},
        Duration{100, 0, Distribution::deterministic}}) {
    const TimeSampler sampler(duration);
    double sum = 0, squares = 0;
    constexpr int samples = 400'000;
    for (int i = 0; i < samples; ++i) {
      const double value = nanoseconds(sampler.draw(random));
      EXPECT_GE(value, 0);
      sum += value;
      squares += value * value;
    }
    const double mean = sum / samples;
    EXPECT_NEAR(mean, 100, 1.5) << duration.cv;
    EXPECT_NEAR(std::sqrt(std::max(0.0, squares / samples - mean * mean)) / mean, duration.cv,
                0.05 * duration.cv + 1e-9);
  }
}

TEST(Distributions, ChooseByWeight) {
  Random random(5);
  const ChoiceSampler sampler({0.2, 0, 0.5, 0.3});
  std::vector<int> counts(4);
  for (int i = 0; i < 100'000; ++i)
    ++counts[sampler.draw(random)];
  EXPECT_NEAR(counts[0], 20'000, 600);
  EXPECT_EQ(counts[1], 0);
  EXPECT_NEAR(counts[2], 50'000, 800);
}

TEST(Workload, SharesThreadsByWeightAndAddsFixedOnes) {
  Network network = networkOf({{100, 1}}, {1}, {100, 1});
  network.classes[0].weight = 2;
  network.classes.push_back({"other", true, 1, 0});
  network.classes.push_back({"main", false, 1, 3});
  for (const std::size_t threads : {1u, 2u}) {
    network.transitions.push_back(network.transitions[0]);
    network.transitions.back().threadClass = threads;
  }
  std::vector<std::size_t> classes;
  for (const ThreadPlan &plan : planThreads(network, 6))
    classes.push_back(plan.threadClass);
  EXPECT_EQ(classes, (std::vector<std::size_t>{0, 1, 0, 0, 1, 0, 2, 2, 2}));
}

TEST(Workload, InstancesAreLocksOfTheirOwn) {
  Network many = networkOf({{500, 1}}, {1}, {1000, 1});
  many.locks[0].instances = 3;
  many.locks[0].shares = {0.5};
  const Network apart = networkOf({{500, 1}, {500, 1}, {500, 1}}, {0.5, 0.25, 0.25}, {1000, 1});
  const Simulation together = simulated(many, LockKind::ideal, 8);
  const Simulation single = simulated(apart, LockKind::ideal, 8);
  EXPECT_NEAR(together.figures.throughputPerS / single.figures.throughputPerS, 1, 0.04);
  EXPECT_NEAR(together.figures.locks[0].utilization, single.figures.locks[0].utilization, 0.04);
}

TEST(Workload, ThousandsOfLocksCostWhatTheirLinesDo) {
  Network network = networkOf({{20, 1}}, {1}, {60, 1});
  network.locks[0].instances = 60'000; // far more than a run touches twice
  const auto waitNs = [&](double own, int threads) {
    network.locks[0].own = own;
    return simulated(network, LockKind::spinlock, threads).figures.locks[0].waitNs;
  };
  const Network one = networkOf({{20, 1}}, {1}, {60, 1});
  const double alone = simulated(one, LockKind::spinlock, 1).figures.locks[0].waitNs;
  EXPECT_NEAR(waitNs(0, 1) / alone, 1, 0.02) << "there is nobody who could have the lines";
  // Of two threads each has had half of them.
  const double shared = waitNs(0, 2), apart = waitNs(0.9, 2);
  EXPECT_GT(shared, alone + 20);
  EXPECT_NEAR((apart - alone) / (shared - alone), 0.1, 0.03);
  for (const double own : {0.0, 0.9}) {
    network.locks[0].own = own;
    const auto predicted = predict(network, {LockKind::spinlock}, genericMachine(), 2);
    ASSERT_TRUE(predicted);
    EXPECT_NEAR(predicted->locks[0].waitNs / waitNs(own, 2), 1, 0.15) << own;
  }
}

TEST(Workload, ALockOfEachThreadsOwnIsWaitedForByNobody) {
  Network network = networkOf({{500, 1}, {200, 1}}, {0.5, 0.5}, {1000, 1});
  network.locks[0].perThread = true;
  network.locks[0].instances = 2; // of today's two threads
  network.locks[0].shares = {0.9};
  for (const LockKind kind :
       {LockKind::ideal, LockKind::pthreadMutex, LockKind::spinlock, LockKind::qd}) {
    const Simulation many = simulated(network, kind, 8), one = simulated(network, kind, 1);
    EXPECT_EQ(many.figures.locks[0].contentionRate, 0) << nameOf(kind);
    EXPECT_GT(many.figures.locks[1].contentionRate, 0) << nameOf(kind);
    const auto predicted =
        predict(network, {kind, kind}, genericMachine(), 8, {.timeBudgetNs = 0.05e9});
    ASSERT_TRUE(predicted);
    EXPECT_NEAR(many.figures.throughputPerS / predicted->throughputPerS, 1, 0.08) << nameOf(kind);
    EXPECT_NEAR(one.figures.locks[0].utilization * many.figures.throughputPerS /
                    one.figures.throughputPerS / 8,
                many.figures.locks[0].utilization, 0.02)
        << nameOf(kind);
  }
}

TEST(Workload, AnInnerSectionIsPartOfTheOuterHold) {
  // One thread: the outer lock is held for its own 300 ns and twice (on average 1.5 visits) 100.
  Network network = networkOf({{300, 0}, {100, 0}}, {1, 0}, {400, 0});
  network.transitions.resize(1);
  network.sections[1].inside = 0;
  network.sections[1].visits = 1.5;
  const Simulation one = simulated(network, LockKind::ideal, 1);
  EXPECT_NEAR(one.figures.locks[0].residenceNs, 450, 5);
  EXPECT_EQ(one.figures.locks[0].waitNs, 0);
  EXPECT_NEAR(one.figures.locks[1].throughputPerS / one.figures.locks[0].throughputPerS, 1.5, 0.03);
  EXPECT_NEAR(one.figures.throughputPerS * 1e-9, 2.5 / 850, 2e-5);
  // Several threads never wait at the inner lock, which only the outer one's holder takes.
  EXPECT_EQ(simulated(network, LockKind::ideal, 5).figures.locks[1].waitNs, 0);
}

TEST(Workload, TakingALockAgainCostsNothing) {
  Network network = networkOf({{300, 0}}, {1}, {700, 0});
  Section again = network.sections[0];
  again.name = "again";
  again.inside = 0;
  again.visits = 1;
  network.sections.push_back(again);
  for (const LockKind kind : {LockKind::ideal, LockKind::spinlock, LockKind::qd}) {
    const Simulation one = simulated(network, kind, 1);
    EXPECT_NEAR(one.figures.locks[0].residenceNs, 600, 20) << nameOf(kind);
  }
  // With several instances it may be another one, and nobody waits for ever.
  network.locks[0].instances = 4;
  EXPECT_GT(simulated(network, LockKind::spinlock, 8).figures.throughputPerS, 0);
}

TEST(Workload, SaysThatNestingInBothOrdersStops) {
  Network network = networkOf({{300, 1}, {300, 1}}, {0.5, 0.5}, {100, 1});
  for (const std::size_t outer : {0u, 1u}) {
    Section inner;
    inner.name = "inner" + std::to_string(outer);
    inner.lock = 1 - outer;
    inner.hold.mean = 100;
    inner.inside = outer;
    inner.visits = 1;
    network.sections.push_back(inner);
  }
  EXPECT_NE(refusal(network, LockKind::spinlock, 8).find("wait for each other for ever"),
            std::string::npos);
}

TEST(Workload, BlockedTimeNeedsNoCore) {
  Network network = networkOf({{100, 1}}, {1}, {100, 1});
  network.transitions[0].blockedNs = 100'000;
  // Thirty threads that want a core for 1.4 us, a switch included, out of 100 fit on one.
  const Simulation one = simulated(network, LockKind::spinlock, 1, {.cores = 2});
  const Simulation many = simulated(network, LockKind::spinlock, 30, {.cores = 2});
  EXPECT_NEAR(one.figures.throughputPerS * 1e-9, 1 / 100'207.0, 3e-7);
  EXPECT_GT(many.figures.throughputPerS / one.figures.throughputPerS, 25);
}

TEST(Workload, MoreThreadsThanCoresShareThem) {
  const Network network = networkOf({{100, 1}}, {1}, {10'000, 1});
  Machine machine = genericMachine();
  machine.scheduler["timeslice_ns"].value = 100'000;
  const auto at = [&](int threads, int cores) {
    return simulated(network, LockKind::spinlock, threads, {.cores = cores, .precision = 0.02},
                     machine)
        .figures.throughputPerS;
  };
  const double one = at(1, 1);
  EXPECT_NEAR(at(4, 4) / one, 4, 0.2);
  EXPECT_NEAR(at(4, 1) / one, 1, 0.1);
  EXPECT_NEAR(at(3, 2) / one, 2, 0.15);
}

/// Two threads compute for long and two do not, on two cores. Where one of each share a core, as in
/// two of three placements, the line of waiters stands still until the former come back. Else those
/// have to share a core, and come back later.
TEST(Workload, LeavesItToChanceWhichThreadsShareACore) {
  Network network = networkOf({{1000, 0}}, {1}, {1000, 0});
  network.classes[0] = {"short", false, 1, 2};
  network.classes.push_back({"long", false, 1, 2});
  network.transitions.push_back(network.transitions[0]);
  network.transitions.back().threadClass = 1;
  network.transitions.back().local.mean = 50'000;
  std::vector<double> found;
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    found.push_back(simulated(network, LockKind::mcs, 4,
                              {.cores = 2, .seed = seed, .precision = 0.02, .mostSteps = 200'000})
                        .figures.classes[1]
                        .throughputPerS);
  std::sort(found.begin(), found.end());
  EXPECT_LT(found.front(), 0.75 * found.back());
  EXPECT_GT(found[found.size() / 2], 0.9 * found.back());
}

TEST(Workload, DataFollowTheLockButStayWithAHelper) {
  const Network network = networkOf({{200, 1}}, {1}, {500, 1});
  const auto throughput = [&](LockKind kind, int lines) {
    return simulated(network, kind, 4, {.precision = 0.02, .dataLines = lines})
        .figures.throughputPerS;
  };
  EXPECT_LT(throughput(LockKind::spinlock, 32), 0.75 * throughput(LockKind::spinlock, 0));
  EXPECT_GT(throughput(LockKind::qd, 8), 0.8 * throughput(LockKind::qd, 0));
  EXPECT_EQ(throughput(LockKind::ideal, 8), throughput(LockKind::ideal, 0)); // knows no caches
}

TEST(Simulate, CostsWhatTheMachineSaysWhenNobodyElseIsThere) {
  const Network network = networkOf({{500, 1}}, {1}, {1000, 1});
  const auto machine = readMachine(QDADVISE_DESCRIPTIONS "/virtual-machine-2-core.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  const auto wait = [&](LockKind kind) {
    return simulated(network, kind, 1, {.precision = 0.02}, *machine).figures.locks[0].waitNs;
  };
  for (const LockKind kind : {LockKind::pthreadMutex, LockKind::spinlock})
    EXPECT_NEAR(wait(kind), *machine->require(kind, "lock_overhead_ns"), 1) << nameOf(kind);
  // Two atomic operations in a row cost less than twice one there; here they do not.
  const MulticoreCosts costs = *costsOf(*machine, {});
  EXPECT_GT(uncontendedNs(*findSimulatedKind(LockKind::qd), costs),
            *machine->require(LockKind::qd, "lock_overhead_ns"));
  EXPECT_NEAR(wait(LockKind::qd), uncontendedNs(*findSimulatedKind(LockKind::qd), costs), 0.5);
}

TEST(Simulate, SaysWhichClassesHaveNoThread) {
  Network network = networkOf({{100, 1}}, {1}, {100, 1});
  network.classes.push_back({"other", true, 1, 0});
  network.transitions.push_back(network.transitions[0]);
  network.transitions.back().threadClass = 1;
  const std::string note = "1 thread: class 'other' has none of them";
  using testing::Contains, testing::Not;
  EXPECT_THAT(simulated(network, LockKind::ideal, 1).figures.notes, Contains(note));
  EXPECT_THAT(simulated(network, LockKind::ideal, 2).figures.notes, Not(Contains(note)));
  // One thread of each class is what two are compared with.
  const auto sweep = simulateSweep(network, {LockKind::ideal}, genericMachine(), {2, 4});
  ASSERT_TRUE(sweep);
  EXPECT_THAT((*sweep)[0][0].simulation.figures.notes, Not(Contains(note)));
}

TEST(Simulate, ComparesThreadsOfSeveralClassesWithOneOfEachAlone) {
  // Of three classes the first does a thousandth of what the others do. No lock is waited for.
  Network network = networkOf({{1, 0}}, {1}, {1'000'000, 0});
  network.locks[0].perThread = true;
  for (const char *name : {"second", "third"}) {
    network.transitions.push_back(network.transitions[0]);
    network.transitions.back().threadClass = network.classes.size();
    network.transitions.back().local = {1000, 0};
    network.classes.push_back({name, true, 1, 0});
  }
  const auto sweep = simulateSweep(network, {LockKind::ideal}, genericMachine(), {1, 2, 3, 4, 30});
  ASSERT_TRUE(sweep);
  for (const SimulatedPoint &point : (*sweep)[0])
    EXPECT_NEAR(point.simulation.figures.speedup, point.simulation.figures.threads,
                0.02 * point.simulation.figures.threads);
}

TEST(Simulate, LetsOnlyTheHelperPayTheLockOverhead) {
  const Network network = networkOf({{500, 1}}, {1}, {500, 1});
  Machine costly = genericMachine();
  costly.kinds[LockKind::qd].figures["lock_overhead_ns"].value = 1000;
  const auto throughput = [&](const Machine &machine) {
    return simulated(network, LockKind::qd, 8, {.precision = 0.02}, machine).figures.throughputPerS;
  };
  EXPECT_GT(throughput(costly), 0.9 * throughput(genericMachine()));
}

TEST(Simulate, OneSeedOneResult) {
  const Network network = randomNetwork(4);
  const auto run = [&](std::uint64_t seed) {
    const Simulation result = simulated(network, LockKind::qd, 9, {.seed = seed, .precision = 0.1});
    return std::pair(result.figures.throughputPerS, result.figures.locks[0].waitNs);
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(Simulate, RefusesWhatItCannotSimulate) {
  const Network network = networkOf({{500, 1}}, {1}, {1000, 1});
  Machine bare = genericMachine();
  bare.line.clear();
  EXPECT_NE(refusal(network, LockKind::qd, 2, bare).find("line.transfer_same_socket_ns"),
            std::string::npos);
  Machine sliceless = genericMachine();
  sliceless.scheduler.clear();
  EXPECT_NE(refusal(network, LockKind::qd, 17, sliceless).find("scheduler.timeslice_ns"),
            std::string::npos);
  EXPECT_EQ(refusal(network, LockKind::qd, 16, sliceless), "");
  EXPECT_NE(refusal(network, LockKind::unknown, 2).find("cannot be simulated; known are ideal"),
            std::string::npos);
  EXPECT_NE(refusal(network, LockKind::qd, 0).find("from 1 to 4096"), std::string::npos);
}

/// Its own thread executes all sections.
class Served final : public SimulatedLock {
public:
  explicit Served(Multicore &machine) : machine(machine) {}
  void exclusive(Operation operation) override {
    Request &mine = requests[machine.threadIndex()];
    mine.operation = &operation;
    mine.waits.store(1);
    while (mine.waits.load() != 0)
      machine.backOff(1);
  }
  bool isTaken() const override { return false; }
  void serve() override {
    for (; !dismissed; machine.backOff(1))
      for (Request &one : requests)
        if (one.waits.load() != 0) {
          (*one.operation)();
          one.waits.store(0);
        }
  }
  void dismiss() override { dismissed = true; }

private:
  struct alignas(64) Request {
    SimulatedAtomic<std::uint32_t> waits{0};
    Operation *operation = nullptr;
  };
  Multicore &machine;
  Request requests[4];
  bool dismissed = false;
};

TEST(Workload, HasTheThreadsOfLocks) {
  Network network = networkOf({{1000, 0}}, {1}, {100, 0});
  const SimulatedKind kind{LockKind::qd,
                           [](Multicore &machine) -> std::unique_ptr<SimulatedLock> {
                             return std::make_unique<Served>(machine);
                           },
                           true};
  const auto found = simulateLocks(network, {&kind}, genericMachine(), 4,
                                   {.precision = 0.02, .mostSteps = 200'000});
  ASSERT_TRUE(found);
  // Four threads keep it busy; what lies between two sections is a line or two.
  EXPECT_LT(found->figures.throughputPerS, 1e6);
  EXPECT_GT(found->figures.throughputPerS, 0.7e6);
  network.locks[0].instances = 3;
  EXPECT_EQ(threadsOfLocks(network, {{&kind, 0}}), 3U);
  EXPECT_EQ(threadsOfLocks(network, {{findSimulatedKind(LockKind::qd), 0}}), 0U);
}

/// Costs nothing.
class Free final : public SimulatedLock {
public:
  void exclusive(Operation operation) override { operation(); }
  bool isTaken() const override { return false; }
};

TEST(Workload, ChargesOtherLocksWhatTheMachineHasBeyondOurs) {
  const Network network = networkOf({{1000, 0}}, {1}, {100, 0});
  const SimulatedKind free{LockKind::spinlock, [](Multicore &) -> std::unique_ptr<SimulatedLock> {
                             return std::make_unique<Free>();
                           }};
  Machine machine = genericMachine();
  const double ours = uncontendedNs(*findSimulatedKind(LockKind::spinlock), *costsOf(machine, {}));
  const auto cycleNs = [&](double overheadNs) {
    machine.kinds[LockKind::spinlock].figures["lock_overhead_ns"].value = overheadNs;
    // Its atomic instructions do not get slower by that.
    machine.line["atomic_ns"].value = nanoseconds(costsOf(genericMachine(), {})->atomic);
    return 1e9 / simulateLocks(network, {&free}, machine, 1)->figures.throughputPerS;
  };
  EXPECT_NEAR(cycleNs(ours), 1100, 0.01);
  EXPECT_NEAR(cycleNs(ours + 50), 1150, 0.01);
}

} // namespace

} // namespace qdadvise::sim
