// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/Steadiness.h"
#include "advisor/network/construction/Construction.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

constexpr int windowCount = 16, perWindow = 2000;

/// A worker in one section, holding times of the given mean in each window.
template <typename MeanNs> Profile recorded(MeanNs meanNs, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  ProfileBuilder b;
  const std::size_t worker = b.threads("worker", 1);
  const std::size_t lock = b.lockClass("L::m", LockKind::pthreadMutex);
  b.lock(lock, 0x10, windowCount * perWindow);
  const std::size_t run = b.section(worker, b.site("run()", 5), lock, windowCount * perWindow, 1);
  b.transition(worker, run, run, windowCount * perWindow, 1000);
  Moments &hold = b.profile.sections[run].hold;
  hold = {};
  for (int w = 0; w < windowCount; ++w) {
    ProfiledWindow window{w * 1e6, 1e6, {}, {}};
    ProfiledWindow::Section in{run, perWindow, 0, 0};
    for (int i = 0; i < perWindow; ++i) {
      const double ns = std::exponential_distribution<double>(1 / meanNs(w))(random);
      hold.merge({1, ns, 0, ns, ns});
      in.holdNs += ns;
    }
    window.sections.push_back(in);
    window.threads.push_back({worker, 1, perWindow * 1000.0, 0});
    b.profile.windows.push_back(window);
  }
  return b.profile;
}

Duration holdOf(const Profile &profile) {
  const auto construction = constructNetwork(profile, Machine{});
  EXPECT_TRUE(construction) << construction.error().message;
  return construction ? construction->network.sections[0].hold : Duration();
}

double samplesOf(const Profile &profile) { return holdOf(profile).independentSamples(); }

TEST(Steadiness, LeavesIndependentObservationsAsTheyAre) {
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    changed += samplesOf(recorded([](int) { return 500.0; }, seed)) != windowCount * perWindow;
  EXPECT_LE(changed, 3); // one in twenty by chance
}

TEST(Steadiness, CountsWhatHangsTogetherByBlocks) {
  // The mean of a window is drawn anew for each: one observation a window, about.
  const auto drift = [](int w) { return 500.0 + 100 * std::cos(3.0 * w * w); };
  const Profile profile = recorded(drift);
  const double samples = samplesOf(profile);
  // As the variance of block means says: that of one is (70 ns)² or so, of the times (500 ns)².
  EXPECT_GT(samples, 200);
  EXPECT_LT(samples, 2000);
  EXPECT_EQ(holdOf(profile).samples, windowCount * perWindow) << "it ran as often as it did";
}

TEST(Steadiness, TakesMomentsThatWindowsDoNotHaveAsTheyAre) {
  Profile profile = recorded([](int w) { return w % 2 ? 300.0 : 700.0; });
  EXPECT_LT(samplesOf(profile), 1000);
  // A preemption that was taken out of the moments is still in its window.
  profile.windows[3].sections[0].holdNs += 5e6;
  EXPECT_EQ(samplesOf(profile), windowCount * perWindow);
}

TEST(Steadiness, TellsPhases) {
  const std::vector<bool> classes{true};
  EXPECT_LT(unsteadiness(recorded([](int) { return 500.0; }), classes), 0.02);
  // 3000 of 4000 ns in the first half, 200 of 1200 in the second: of both together 3200 of 5200.
  const Profile phases = recorded([](int w) { return w < windowCount / 2 ? 3000.0 : 200.0; });
  const double expected = 2 * (3000 - 4000 * 3200.0 / 5200) / 5200;
  EXPECT_NEAR(unsteadiness(phases, classes), expected, 0.02);
  EXPECT_EQ(unsteadiness(phases, {false}), 0);
}

} // namespace
