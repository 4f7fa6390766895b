// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The demands on locks, and the stations and solutions that follow from them, for small networks by
// hand.
#include "advisor/model/solver/LockDemand.h"

#include "Networks.h"
#include "advisor/model/mva/Mva.h"
#include "advisor/model/solver/LockStations.h"
#include "advisor/model/solver/NestedLocks.h"

#include <gtest/gtest.h>
#include <numeric>

namespace qdadvise {

namespace {

using namespace test;

/// A problem of the solver that owns all of its parts.
struct Given {
  Given(const Network &net, LockKind kind)
      : net(net), kinds(net.locks.size(), kind), machine(machineOf(8)), classes(trafficOf(net)),
        locked({this->net, kinds, machine, classes}, 4, {solveMva, nullptr, 8}) {}
  Given(const Given &) = delete;

  Network net;
  std::vector<LockKind> kinds;
  Machine machine;
  std::vector<Traffic> classes;
  LockedNetwork locked;
};

/// Half of the cycles take lock 0, the others lock 1. Inside lock 0 there are two visits to
/// `inner`.
Network nestedNetwork(std::size_t inner) {
  Network network = networkOf({{0.5, 400}, {0.5, 100}, {0, 100}}, 3000);
  network.transitions.clear();
  for (const std::size_t from : {0u, 1u})
    for (const std::size_t to : {0u, 1u}) {
      Transition transition;
      transition.from = from;
      transition.to = to;
      transition.probability = 0.5;
      transition.local = {3000, 1};
      network.transitions.push_back(transition);
    }
  Section &section = network.sections[2];
  section.lock = inner;
  section.hold = {50, 1};
  section.inside = 0;
  section.visits = 2;
  return network;
}

TEST(LockedNetworkTest, CountsWhoCanHoldTheLocksAround) {
  Network network = nestedNetwork(2);
  network.locks[0].instances = 4;
  const Given given(network, LockKind::mcs);
  EXPECT_TRUE(given.locked.nested);
  EXPECT_EQ(given.locked.outerLock(2), 0u);
  EXPECT_DOUBLE_EQ(given.locked.locks[2].holders, 4);
  EXPECT_DOUBLE_EQ(given.locked.locks[0].holders, 0);
}

TEST(LockedNetworkTest, LeavesOutSectionsOfALockThatIsHeld) {
  const Given given(nestedNetwork(0), LockKind::mcs);
  EXPECT_FALSE(given.locked.nested);
  EXPECT_EQ(given.locked.locks[0].sections, std::vector<std::size_t>{0});
}

TEST(LockedNetworkTest, IsShortOfCoresOnlyWhereALockKnowsThem) {
  EXPECT_TRUE(Given(nestedNetwork(1), LockKind::mcs).locked.isShort(9));
  EXPECT_FALSE(Given(nestedNetwork(1), LockKind::mcs).locked.isShort(8));
  EXPECT_FALSE(Given(nestedNetwork(1), LockKind::ideal).locked.isShort(9));
}

TEST(LockDemandTest, IsOverAllSectionsOfALock) {
  Network network = nestedNetwork(1);
  network.sections[1].shared = true;
  const Given given(network, LockKind::pthreadRwlock);
  const Demands demands = demandsOf(given.locked, Unknowns(given.locked));
  const LockDemand &inner = demands.locks[1];
  EXPECT_DOUBLE_EQ(inner.visits, 1.5);
  EXPECT_DOUBLE_EQ(inner.directVisits, 0.5);
  EXPECT_DOUBLE_EQ(inner.holdNs, (0.5 * 100 + 50) / 1.5);
  EXPECT_DOUBLE_EQ(inner.holdNs + inner.directExtraNs, 100);
  EXPECT_DOUBLE_EQ(inner.readers.share, 1.0 / 3);
  EXPECT_DOUBLE_EQ(inner.readers.holdNs, 100);
}

TEST(LockDemandTest, OuterSectionsTakeTheWaitInside) {
  const Given given(nestedNetwork(1), LockKind::mcs);
  Unknowns unknowns(given.locked);
  EXPECT_DOUBLE_EQ(demandsOf(given.locked, unknowns).locks[0].holdNs, 400 + 2 * 50);
  unknowns.waits[2].value = 20;
  EXPECT_DOUBLE_EQ(demandsOf(given.locked, unknowns).locks[0].holdNs, 400 + 2 * 70);
}

TEST(LockDemandTest, OnlySpinlocksAreTakenBack) {
  for (const auto &[kind, share] :
       {std::pair(LockKind::spinlock, 0.5), std::pair(LockKind::mcs, 0.0)}) {
    const Given given(networkOf({{0.5, 400}, {0.5, 100}}, 3000), kind);
    const Demands demands = demandsOf(given.locked, Unknowns(given.locked));
    EXPECT_DOUBLE_EQ(demands.locks[0].reacquisitions.share, share) << nameOf(kind);
  }
}

TEST(LockStationsTest, LocksOnlyInsideOthersAreNoPartOfTheCycle) {
  const Given given(nestedNetwork(2), LockKind::mcs);
  const Unknowns unknowns(given.locked);
  const Approximation now{given.locked, unknowns, demandsOf(given.locked, unknowns)};
  EXPECT_EQ(outermostLocks(now).stations.size(), 2u);
  EXPECT_TRUE(outermostLocks(now).routing.empty()) << "sections are nested";
}

TEST(LockStationsTest, RoutesToEveryInstance) {
  Network network = networkOf({{0.5, 400}, {0.5, 100}}, 3000);
  network.locks[1].instances = 3;
  network.locks[1].shares = {0.7};
  const Given given(network, LockKind::mcs);
  const Unknowns unknowns(given.locked);
  const ClosedNetwork closed =
      outermostLocks({given.locked, unknowns, demandsOf(given.locked, unknowns)});
  ASSERT_EQ(closed.stations.size(), 1 + given.locked.locks[1].groups.size());
  for (const std::vector<double> &row : closed.routing) {
    EXPECT_DOUBLE_EQ(row[0], 0.5);
    EXPECT_DOUBLE_EQ(row[1], 0.35);
    EXPECT_DOUBLE_EQ(std::accumulate(row.begin(), row.end(), 0.0), 1);
  }
}

TEST(LockStationsTest, ALockIsTheMeanOfItsInstances) {
  Network network = networkOf({{1, 400}}, 3000);
  network.locks[0].instances = 2;
  network.locks[0].shares = {0.75, 0.25};
  const Given given(network, LockKind::mcs);
  const Unknowns unknowns(given.locked);
  const Approximation now{given.locked, unknowns, demandsOf(given.locked, unknowns)};
  const std::vector<StationState> stations{{1000, 0.5}, {600, 0.1}};
  const LockSolution lock = lockSolutionOf(now, 0, stations.data());
  EXPECT_DOUBLE_EQ(lock.residenceNs, 900);
  EXPECT_DOUBLE_EQ(lock.contention, 0.4);
  EXPECT_DOUBLE_EQ(lock.busiestShare, 0.75);
  EXPECT_DOUBLE_EQ(lock.holdNs, 400);
}

TEST(NestedLocksTest, TheOnlyHolderWaitsForNobody) {
  const Given given(nestedNetwork(2), LockKind::ideal);
  Unknowns unknowns(given.locked);
  Approximation now{given.locked, unknowns, demandsOf(given.locked, unknowns)};
  Solution outer;
  outer.population = 4;
  outer.cyclesPerNs = 1e-3;
  const auto inner = solveInnerLock(now, 2, outer);
  ASSERT_TRUE(inner) << inner.error().message;
  EXPECT_DOUBLE_EQ(inner->residenceNs, 50);
  EXPECT_DOUBLE_EQ(inner->visits, 1);
}

/// Each round looks for the time away from where the round before found it.
TEST(NestedLocksTest, AnInnerLockIsTheSameFromAnywhere) {
  Network network = nestedNetwork(2);
  network.locks[0].instances = 8; // so many may hold it, and come to the inner lock
  const Given given(network, LockKind::ideal);
  Unknowns unknowns(given.locked);
  Approximation followed{given.locked, unknowns, demandsOf(given.locked, unknowns)};
  Solution outer;
  outer.population = 4;
  for (const double cyclesPerNs : {1e-4, 1.01e-4, 1e-2, 1e-3, 1e-3}) {
    outer.cyclesPerNs = cyclesPerNs;
    Approximation anew{given.locked, unknowns, demandsOf(given.locked, unknowns)};
    const auto expected = solveInnerLock(anew, 2, outer),
               found = solveInnerLock(followed, 2, outer);
    ASSERT_TRUE(expected && found);
    EXPECT_GT(expected->residenceNs, 50);
    EXPECT_NEAR(found->residenceNs, expected->residenceNs, 1e-6 * expected->residenceNs)
        << cyclesPerNs;
  }
}

} // namespace

} // namespace qdadvise
