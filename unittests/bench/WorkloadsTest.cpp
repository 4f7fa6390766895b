// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/workloads/Workloads.h"

#include "advisor/network/NetworkReader.h"
#include "advisor/network/NetworkWriter.h"
#include "advisor/network/Validation.h"
#include "bench/workloads/Draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace qdadvise::workloads {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

std::vector<Workload> all() {
  std::vector<Workload> result;
  for (const Family &family : families())
    for (Workload &workload : family.make())
      result.push_back(std::move(workload));
  return result;
}

std::vector<Workload> allRandom() {
  std::vector<Workload> result;
  for (const Part part : {Part::develop, Part::score})
    for (std::size_t i = 0; i < randomNetworksAPart; ++i)
      result.push_back(randomNetwork(part, i));
  return result;
}

int threadsOf(const Workload &workload) {
  int threads = workload.threads.front();
  for (const ThreadClass &one : workload.network.classes)
    threads += one.scales ? 0 : static_cast<int>(one.threads);
  return threads;
}

TEST(Draw, RepeatsItselfAndStaysInItsRanges) {
  Draw same(1), again(1), other(1, 1);
  const double first = same.unit();
  EXPECT_EQ(first, again.unit());
  EXPECT_NE(first, other.unit());
  for (int i = 0; i < 1000; ++i) {
    EXPECT_THAT(same.unit(), AllOf(Ge(0.0), testing::Lt(1.0)));
    EXPECT_THAT(same.whole(2, 4), AllOf(Ge(2), Le(4)));
    EXPECT_THAT(same.logBetween(2, 64), AllOf(Ge(2.0), Le(64.0)));
  }
}

TEST(SpecialNetworks, StayAtALockOrComputeForTheSameTime) {
  for (const Part part : {Part::develop, Part::score})
    for (std::size_t i = 0; i < specialNetworksAPart; ++i) {
      const Workload sticky = specialNetwork(part, Special::sticky, i),
                     constant = specialNetwork(part, Special::constantLocal, i);
      EXPECT_FALSE(validate(sticky.network)) << sticky.name;
      EXPECT_FALSE(validate(constant.network)) << constant.name;
      EXPECT_GE(sticky.network.locks.size(), 2u) << sticky.name;
      for (const Transition &one : sticky.network.transitions)
        if (one.from == one.to)
          EXPECT_GE(one.probability, 0.5) << sticky.name;
      for (const Transition &one : constant.network.transitions)
        EXPECT_EQ(one.local.cv, 0) << constant.name;
    }
  EXPECT_NE(specialNetwork(Part::develop, Special::sticky, 0).network.sections[0].hold.mean,
            specialNetwork(Part::score, Special::sticky, 0).network.sections[0].hold.mean);
}

TEST(Workloads, EveryNetworkIsValid) {
  for (const Workload &workload : all())
    if (const auto error = validate(workload.network))
      ADD_FAILURE() << workload.name << ": " << error->message;
}

TEST(Workloads, EveryNetworkIsReadBackAsItWasPrinted) {
  for (const Workload &workload : all()) {
    const std::string printed = printNetwork(workload.network);
    const auto read = parseNetwork(printed, workload.name);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(printNetwork(*read), printed) << workload.name;
  }
}

TEST(Workloads, TheSameEveryTime) {
  const auto once = all(), twice = all();
  ASSERT_EQ(once.size(), twice.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].name, twice[i].name);
    EXPECT_EQ(once[i].threads, twice[i].threads);
    EXPECT_EQ(printNetwork(once[i].network), printNetwork(twice[i].network));
  }
}

TEST(Workloads, NamesAreUniqueAndFitForFiles) {
  std::set<std::string> names;
  for (const Workload &workload : all()) {
    EXPECT_TRUE(names.insert(workload.name).second) << workload.name;
    EXPECT_EQ(workload.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-"),
              std::string::npos)
        << workload.name;
    EXPECT_FALSE(workload.threads.empty()) << workload.name;
  }
}

TEST(MetaBenchmark, Has3500ConfigurationsInThePapersRanges) {
  const auto configurations = metaConfigurations();
  EXPECT_EQ(configurations.size() * metaThreads.size(), 3500u);
  std::map<std::size_t, std::pair<double, double>> matrices;
  for (const MetaConfiguration &one : configurations) {
    EXPECT_THAT(one.sectionNs, AllOf(Ge(200), Le(10'000)));
    EXPECT_THAT(one.localNs, AllOf(Ge(100), Le(30'000)));
    EXPECT_THAT(one.fifoAfterFifo, AllOf(Ge(0.05), Le(0.95)));
    EXPECT_THAT(one.fifoAfterHeap, AllOf(Ge(0.05), Le(0.95)));
    const std::pair routing(one.fifoAfterFifo, one.fifoAfterHeap);
    EXPECT_EQ(matrices.try_emplace(one.matrix, routing).first->second, routing);
  }
  EXPECT_EQ(matrices.size(), 20u);
}

TEST(Dedup, EndsStageAfterStage) {
  const auto phases = dedupPhases();
  ASSERT_EQ(phases.size(), 3u);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    EXPECT_EQ(phases[i].network.classes.size(), 3 - i);
    EXPECT_EQ(phases[i].threads.front(), 2 * static_cast<int>(3 - i));
    EXPECT_EQ(phases[i].threads.back(), 8 * static_cast<int>(3 - i));
  }
}

TEST(Bodytrack, HasThreeLocksAndThreeClassesOfWhichThePoolScales) {
  const auto workload = bodytrack().front();
  EXPECT_EQ(workload.network.locks.size(), 3u);
  ASSERT_EQ(workload.network.classes.size(), 3u);
  for (const ThreadClass &one : workload.network.classes)
    EXPECT_EQ(one.scales, one.name == "pool");
}

TEST(RandomNetworks, StayInTheirRanges) {
  for (const Workload &workload : allRandom()) {
    EXPECT_THAT(workload.network.locks.size(), AllOf(Ge(1u), Le(6u))) << workload.name;
    EXPECT_THAT(threadsOf(workload), AllOf(Ge(2), Le(64))) << workload.name;
    const auto isTime = [](const Duration &time) {
      return time.mean >= 1 && time.mean < 100'000 && time.cv >= 0 && time.cv <= 2.5;
    };
    for (const Section &section : workload.network.sections)
      EXPECT_TRUE(isTime(section.hold)) << workload.name << ' ' << section.name;
    for (const Transition &transition : workload.network.transitions)
      EXPECT_TRUE(isTime(transition.local)) << workload.name;
  }
}

TEST(RandomNetworks, InnerLocksStandBehindOuterOnesSoThatNobodyDeadlocks) {
  for (const Workload &workload : allRandom())
    for (const Section &section : workload.network.sections)
      if (section.inside) {
        EXPECT_GT(section.lock, workload.network.sections[*section.inside].lock) << workload.name;
      }
}

TEST(RandomNetworks, ScalingClassesShareTheThreadsInWholeNumbers) {
  for (const Workload &workload : allRandom()) {
    double weights = 0;
    for (const ThreadClass &one : workload.network.classes)
      weights += one.scales ? one.weight : 0;
    EXPECT_EQ(weights, workload.threads.front()) << workload.name;
  }
}

/// Of each part: how many networks have a property.
template <typename Has> void expectIn(const char *what, std::size_t atLeast, Has has) {
  for (const Part part : {Part::develop, Part::score}) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < randomNetworksAPart; ++i)
      count += has(randomNetwork(part, i).network) ? 1 : 0;
    EXPECT_GE(count, atLeast) << what << " in part " << nameOf(part);
  }
}

template <typename Range, typename Is> bool any(const Range &range, Is is) {
  for (const auto &value : range)
    if (is(value))
      return true;
  return false;
}

TEST(RandomNetworks, HaveEverythingThatNetworksHave) {
  expectIn("several classes", 90,
           [](const Network &network) { return network.classes.size() > 1; });
  expectIn("fixed classes", 20, [](const Network &network) {
    return any(network.classes, [](const ThreadClass &one) { return !one.scales; });
  });
  expectIn("readers", 40, [](const Network &network) {
    return any(network.sections, [](const Section &section) { return section.shared; });
  });
  expectIn("nesting", 40, [](const Network &network) {
    return any(network.sections, [](const Section &section) { return section.inside; });
  });
  expectIn("uneven instances", 60, [](const Network &network) {
    return any(network.locks, [](const Lock &lock) { return !lock.shares.empty(); });
  });
  expectIn("heavy tails", 150, [](const Network &network) {
    return any(network.sections, [](const Section &section) {
      return section.hold.cv > 1.5 && section.hold.dist == Distribution::lognormal;
    });
  });
  expectIn("several sections a lock", 150,
           [](const Network &network) { return network.sections.size() > network.locks.size(); });
}

TEST(RandomNetworks, PartsHaveNothingInCommon) {
  std::set<std::string> printed;
  for (const Workload &workload : allRandom())
    EXPECT_TRUE(printed.insert(printNetwork(workload.network)).second) << workload.name;
}

} // namespace
} // namespace qdadvise::workloads
