// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many locks of one class as groups, against every lock as a station of its own.
#include "advisor/model/workload/Instances.h"
#include "Networks.h"
#include "advisor/model/mva/Mva.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace qdadvise {

namespace {

struct Split {
  const char *name;
  std::function<double(std::size_t)> weight; ///< of the i-th instance's traffic
};

const std::vector<Split> &splits() {
  static std::mt19937_64 random(7);
  static const std::vector<Split> table{
      {"uniform", [](std::size_t) { return 1.0; }},
      {"uniform, counted in a short run",
       [](std::size_t) { return 1.0 + std::poisson_distribution<int>(100)(random); }},
      {"Zipf", [](std::size_t i) { return 1.0 / static_cast<double>(i + 1); }},
      {"Zipf, exponent 0.6",
       [](std::size_t i) { return std::pow(static_cast<double>(i + 1), -0.6); }},
      {"one hot", [](std::size_t i) { return i == 0 ? 400.0 : 1.0; }},
      {"two hot, nearly alike",
       [](std::size_t i) { return i == 0   ? 400.0
                                  : i == 1 ? 380.0
                                           : 1.0; }},
  };
  return table;
}

Lock lockWith(const Split &split, std::size_t instances) {
  Lock lock;
  lock.instances = static_cast<std::uint32_t>(instances);
  double sum = 0;
  for (std::size_t i = 0; i < instances; ++i)
    sum += lock.shares.emplace_back(split.weight(i));
  for (double &share : lock.shares)
    share /= sum;
  return lock;
}

struct Solved {
  double perNs = 0, residenceNs = 0;
};

Solved solved(NetworkMethod method, const std::vector<InstanceGroup> &groups, LockKind kind,
              double computeNs, int threads) {
  const Machine machine = test::machineOf(1 << 20);
  ClosedNetwork network{machine, 0, computeNs, {}};
  for (const InstanceGroup &group : groups)
    network.stations.push_back({kind, {1000, 2, 1, 0}, group.share, group.share, group.count});
  const auto states = method(network, {threads});
  EXPECT_TRUE(states) << states.error().message;
  Solved result{states->front().cyclesPerNs, 0};
  for (std::size_t i = 0; i < groups.size(); ++i)
    result.residenceNs +=
        groups[i].share * groups[i].count * states->front().stations[i].residenceNs;
  return result;
}

TEST(InstanceGroups, GroupsAreFewAndHaveAllTraffic) {
  for (const Split &split : splits())
    for (const std::size_t instances : {1u, 10u, 1000u, 100000u}) {
      const auto groups = groupsOf(lockWith(split, instances));
      double count = 0, share = 0;
      for (const InstanceGroup &group : groups) {
        count += group.count;
        share += group.count * group.share;
      }
      EXPECT_LE(groups.size(), 60u) << split.name << ' ' << instances;
      EXPECT_EQ(count, instances);
      EXPECT_NEAR(share, 1, 1e-9) << split.name;
    }
}

TEST(InstanceGroups, GroupedAreWithinOnePercentOfUngrouped) {
  constexpr std::size_t instances = 300;
  for (const Split &split : splits()) {
    const Lock lock = lockWith(split, instances);
    std::vector<InstanceGroup> each;
    for (const double share : lock.shares)
      each.push_back({share, 1});
    for (const LockKind kind :
         {LockKind::ideal, LockKind::spinlock, LockKind::qd, LockKind::pthreadMutex})
      for (const double computeNs : {0.0, 300.0, 20000.0})
        for (const int threads : {2, 16, 256}) {
          const Solved one = solved(solveMva, groupsOf(lock), kind, computeNs, threads);
          const Solved all = solved(solveMva, each, kind, computeNs, threads);
          EXPECT_NEAR(one.perNs / all.perNs, 1, 0.01)
              << split.name << ", " << nameOf(kind) << ", " << computeNs << " ns, " << threads;
          const double scale = all.residenceNs - 1000;
          EXPECT_NEAR(one.residenceNs, all.residenceNs, 0.01 * scale)
              << split.name << ", " << nameOf(kind) << ", " << computeNs << " ns, " << threads;
        }
  }
}

TEST(InstanceGroups, TheRestSharesWhatIsLeft) {
  Lock lock;
  lock.instances = 5;
  lock.shares = {0.4};
  const auto groups = groupsOf(lock);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].count, 1);
  EXPECT_EQ(groups[1].count, 4);
  EXPECT_NEAR(groups[1].share, 0.15, 1e-12);
  lock.shares = {0.5, 0.5, 0};
  EXPECT_EQ(groupsOf(lock).size(), 1u) << "nobody takes the others";
}

} // namespace

} // namespace qdadvise
