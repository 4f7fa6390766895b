// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hooks cost where they are, from work with all of them and with few.
#include "runtime/replay/hook_cost.h"
#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

#include <random>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr std::uint64_t lock = 0x1000;

/// A hook with a stamp takes 10 ticks, one without 2.
struct Hooked : Stream {
  Hooked() {
    context.callHookTicks = 10;
    context.stampTicks = 8;
  }
  std::uint32_t mutex = site();
  std::uint32_t call = site(LockKind::unknown, 0, 0, SiteRole::wrapper);
};

Stretch seenIn(const Stream &s) {
  Stretch all;
  all.add(s.events.data(), s.events.size(), s.context);
  return all;
}

TEST(HookCost, HooksAreCountedWithAndWithoutStamps) {
  Hooked s;
  s.context.driftTicks = 1;
  for (int i = 0; i < 4; ++i)
    s.attempt(s.call, lock).take(s.mutex, lock).acquire(s.call, lock).release(s.mutex, lock);
  const Stretch found = seenIn(s);
  EXPECT_EQ(found.attempts, 4u);
  EXPECT_EQ(found.attemptHooks, 4u * 2);
  EXPECT_EQ(found.hookTicks, 4 * (3 * 11 + 2 * 2)); // three stamps a section, two calls without
  EXPECT_EQ(found.ticks, 0);
}

TEST(HookCost, ThePausesOfTheRecorderAreNoWork) {
  Stream s;
  const std::uint32_t site = s.site();
  s.take(site, lock).event(pauseInstant, site, 2500).release(site, lock);
  EXPECT_EQ(seenIn(s).ticks, -2500);
  Stretch work;
  work.excludeInterval(2500, 1);
  EXPECT_EQ(work.ticks, -2500);
  work.excludeInterval(4'000'000, 1); // most of which somebody else had the processor
  EXPECT_EQ(work.ticks, -2500 - 100'000);
}

/// Attempts with work of 1000 ticks in between, and with hooks that cost `factor` times what they
/// do alone, 10 ticks; that of an attempt that is only counted takes 4.
struct Work {
  unsigned attempts;
  double factor = 1;
  double noise = 0; ///< ticks an attempt
};
constexpr double fewTicks = 4;

void compare(HookCost &cost, const Work &withAll, const Work &withFew, unsigned hooks = 3) {
  Stretch all, few;
  all.attempts = all.attemptHooks = withAll.attempts;
  all.hookTicks = 10.0 * hooks * withAll.attempts;
  all.ticks = withAll.attempts * (1000 + withAll.noise) + all.hookTicks * withAll.factor;
  few.attempts = withFew.attempts;
  few.ticks = withFew.attempts * (1000 + withFew.noise + fewTicks);
  cost.compare(all, few, fewTicks);
}

TEST(HookCost, IsWhatAllHooksTakeMoreThanFew) {
  HookCost cost;
  EXPECT_EQ(cost.factor(), 1);
  for (int i = 0; i < 2; ++i)
    compare(cost, {5000, 2.5}, {7000});
  EXPECT_EQ(cost.factor(), 1) << "two pairs may agree by chance";
  compare(cost, {5000, 2.5}, {7000});
  EXPECT_NEAR(cost.factor(), 2.5, 1e-9);
  EXPECT_FALSE(cost.isKnown());
}

TEST(HookCost, FollowsTheProgramAndNotItsInterruptions) {
  HookCost cost;
  for (int i = 0; i < 100; ++i)
    compare(cost, {5000, 3, i % 5 == 0 ? 400.0 : 0}, {7000});
  EXPECT_NEAR(cost.factor(), 3, 1e-9);
  EXPECT_TRUE(cost.isKnown());
  for (int i = 0; i < 100; ++i)
    compare(cost, {5000, 1.5}, {7000, 1, i % 5 == 0 ? 400.0 : 0});
  EXPECT_NEAR(cost.factor(), 1.5, 1e-9);
}

TEST(HookCost, IsLeftAloneWhereNothingCanBeTold) {
  HookCost little;
  for (int i = 0; i < 10; ++i)
    compare(little, {50, 2}, {5000});
  EXPECT_EQ(little.factor(), 1) << "too little work";
  HookCost same;
  for (int i = 0; i < 10; ++i)
    compare(same, {5000, 2}, {5000, 2}, 0);
  EXPECT_EQ(same.factor(), 1) << "no hook was off";
  // The work varies more than hooks take.
  HookCost noisy;
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 300);
  for (int i = 0; i < 10; ++i)
    compare(noisy, {5000, 2, noise(random)}, {5000, 1, noise(random)});
  EXPECT_EQ(noisy.factor(), 1) << "pairs that disagree";
}

TEST(HookCost, IsTakenOutOfTheTimes) {
  Hooked s;
  s.context.hookFactor = 3;
  const auto section = [&] {
    s.attempt(s.call, lock).after(30).attempt(s.mutex, lock).after(36).acquire(s.mutex, lock);
    s.acquire(s.call, lock).after(130).release(s.mutex, lock).after(200);
  };
  section();
  section();
  // A stamp takes 30 there, a hook without one 6.
  EXPECT_NEAR(s.section(0).hold.moments().mean, 130 - 30 - 6, 1e-9);
}

} // namespace
