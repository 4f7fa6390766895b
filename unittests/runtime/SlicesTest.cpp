// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is recorded in slices of time tells what all of it would.
#include "runtime/tables/thin_tables.h"

#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

#include <random>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

using Random = std::mt19937_64;

/// The slices of one thread, as the runtime makes them of its events.
class Slices {
public:
  Slices() {
    s.context.sliced = true;
    mutex = s.site(LockKind::pthreadMutex, 0);
    inner = s.site(LockKind::pthreadMutex, 1);
    wait = s.site(LockKind::pthreadMutex, 0, 0, SiteRole::wait);
    block = s.site(LockKind::unknown, format::none, 0, SiteRole::block);
  }

  void at(std::uint64_t stamp, Instant instant, std::uint32_t site, std::uint64_t lock) {
    all.push_back({stamp, lock, packEvent(site, instant), 0x80000000u});
  }
  void hold(std::uint64_t begin, std::uint64_t end, std::uint32_t site, std::uint64_t lock) {
    take(begin, site, lock);
    at(end, Instant::release, site, lock);
  }
  void take(std::uint64_t stamp, std::uint32_t site, std::uint64_t lock) {
    at(stamp, Instant::attempt, site, lock);
    at(stamp, Instant::acquire, site, lock);
  }
  /// From `begin` on, and of what began before `end` the rest.
  void record(std::uint64_t begin, std::uint64_t end) {
    if (last != 0) {
      s.context.startStamp += begin - last;
      s.replay.resume(last, begin);
    } else {
      s.replay.discardOpenState(begin);
    }
    while (next < all.size() && all[next].stamp < begin)
      ++next;
    std::vector<Event> seen;
    for (; next < all.size() && all[next].stamp < end; ++next)
      seen.push_back(all[next]);
    s.replay.run(seen.data(), seen.size());
    for (; next < all.size() && !s.replay.isBetweenSections(); ++next)
      s.replay.run(&all[next], 1);
    last = end;
    recorded += end - begin;
  }
  /// Slices of `length`, one somewhere in each `period`.
  void sample(Random &random, std::uint64_t length, std::uint64_t period) {
    for (std::uint64_t from = 1000; from + period < all.back().stamp; from += period) {
      const std::uint64_t begin = from + random() % (period - length);
      record(begin, begin + length);
    }
  }

  Stream s;
  std::vector<Event> all;
  std::size_t next = 0;
  std::uint64_t last = 0, recorded = 0;
  std::uint32_t mutex, inner, wait, block;
};

struct Mean {
  double sum = 0, count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return sum / count; }
};

/// Sections and ways between them, in slices of 10 000 of which there are so many that one in a
/// hundred is three standard deviations or more.
void expectRightMeans(std::uint64_t longestHold, std::uint64_t longestLocal, unsigned slices) {
  Random random(longestHold + longestLocal);
  Slices sliced;
  Mean hold, local;
  std::uint64_t now = 1000;
  const std::uint64_t end = slices * 40'000ul;
  while (now < end) {
    const std::uint64_t held = 1 + random() % longestHold, away = 1 + random() % longestLocal;
    hold.add(static_cast<double>(held));
    local.add(static_cast<double>(away));
    now += away;
    sliced.hold(now, now + held, sliced.mutex, 0x100);
    now += held;
  }
  sliced.sample(random, 10'000, 40'000);
  const Section &section = sliced.s.section(0);
  const Transition *const way = sliced.s.transition(0, 0);
  ASSERT_NE(way, nullptr);
  const double share = static_cast<double>(sliced.recorded) / static_cast<double>(now);
  const auto seen = static_cast<double>(section.acquisitions);
  EXPECT_GT(seen, 10000);
  const double tolerance = 0.03;
  EXPECT_NEAR(seen / share, hold.count, tolerance * hold.count);
  EXPECT_NEAR(section.hold.moments().mean, hold.value(), tolerance * hold.value());
  EXPECT_NEAR(way->local.moments().mean, local.value(), tolerance * local.value());
  EXPECT_EQ(sliced.s.tables.unmatched, 0u);
  EXPECT_EQ(sliced.s.tables.dropped, 0u);
}

TEST(Slices, TellMeansOfWhatIsShort) { expectRightMeans(20, 100, 500); }
TEST(Slices, TellMeansOfWaysLongerThanASlice) { expectRightMeans(1000, 60'000, 40'000); }
TEST(Slices, TellMeansOfSectionsAsLongAsASlice) { expectRightMeans(12'000, 20'000, 40'000); }

/// Sections until a time, each as long as the time between two.
void fill(Slices &slices, std::uint64_t &now, std::uint64_t end, std::uint64_t hold, Mean &all) {
  while (now < end) {
    slices.hold(now, now + hold, slices.mutex, 0x100);
    all.add(static_cast<double>(hold));
    now += 2 * hold;
  }
}

/// `slices=auto`: what all slices of a time were recorded of counts no more than what fewer were.
TEST(Slices, CountTheSameHoweverManyWereRecorded) {
  constexpr unsigned shift = 3;
  constexpr std::uint64_t turn = 4'000'000, end = 20'000'000, length = 10'000;
  Random random(1);
  Slices sliced;
  Mean hold;
  std::uint64_t now = 1000;
  fill(sliced, now, turn, 20, hold);
  fill(sliced, now, end, 50, hold);
  sliced.record(1000, turn);
  thin(sliced.s.tables, shift);
  sliced.s.replay.thin(turn, shift);
  sliced.s.context.startStamp = turn - ((turn - sliced.s.context.startStamp) >> shift);
  sliced.recorded >>= shift;
  for (std::uint64_t from = turn; from + (length << shift) < end; from += length << shift) {
    const std::uint64_t begin = from + random() % ((length << shift) - length);
    sliced.record(begin, begin + length);
  }
  const Section &section = sliced.s.section(0);
  const auto seen = static_cast<double>(section.acquisitions);
  const double share = static_cast<double>(sliced.recorded) / static_cast<double>(end);
  EXPECT_NEAR(share, 1. / (1 << shift), 0.001);
  EXPECT_NEAR(seen / share, hold.count, 0.01 * hold.count);
  EXPECT_NEAR(section.hold.moments().mean, hold.value(), 0.01 * hold.value());
  EXPECT_EQ(section.hold.count, section.acquisitions);
  // The windows are of the time that is left, and in its order.
  std::uint64_t inWindows = 0;
  for (const SectionWindow &window : section.windows)
    inWindows += window.acquisitions;
  EXPECT_EQ(inWindows, section.acquisitions);
  EXPECT_NEAR(section.windows[0].holdNs / static_cast<double>(section.windows[0].acquisitions), 20,
              0.1);
  EXPECT_EQ(sliced.s.tables.unmatched, 0u);
}

TEST(Slices, PutOneBehindTheOther) {
  Slices sliced;
  sliced.at(2000, Instant::attempt, sliced.mutex, 0x100);
  sliced.at(2010, Instant::acquire, sliced.mutex, 0x100);
  sliced.at(2050, Instant::release, sliced.mutex, 0x100);
  sliced.hold(9030, 9040, sliced.mutex, 0x100);
  sliced.record(1000, 2100);
  sliced.record(5000, 6000); // nothing happens
  sliced.record(9000, 9100);
  const Transition *const way = sliced.s.transition(0, 0);
  ASSERT_NE(way, nullptr);
  EXPECT_DOUBLE_EQ(way->local.moments().mean, 50 + 1000 + 30);
}

TEST(Slices, LeaveOutWhatBeganBefore) {
  Slices sliced;
  sliced.take(1500, sliced.mutex, 0x100);
  sliced.hold(2010, 2030, sliced.inner, 0x200);
  sliced.at(2040, Instant::release, sliced.mutex, 0x100);
  sliced.hold(2100, 2110, sliced.mutex, 0x100);
  sliced.record(1000, 1100);
  sliced.record(2000, 3000);
  ASSERT_EQ(sliced.s.tables.sections.size(), 1u);
  EXPECT_EQ(sliced.s.section(0).acquisitions, 1u);
  EXPECT_DOUBLE_EQ(sliced.s.section(0).hold.moments().mean, 10);
  EXPECT_EQ(sliced.s.tables.unmatched, 0u);
}

/// Calls of wrappers have no stamp. The first one in a slice is the operation's beginning.
TEST(Slices, BeginWithACallThatHasNoStamp) {
  Slices sliced;
  const std::uint32_t call = sliced.s.site(LockKind::unknown, 7, 0, SiteRole::wrapper);
  const auto section = [&](std::uint64_t now) {
    sliced.at(now, Instant::attempt, call, 0x500);
    sliced.take(now, sliced.mutex, 0x100);
    sliced.at(now, Instant::acquire, call, 0x500);
    sliced.at(now + 50, Instant::release, sliced.mutex, 0x100);
  };
  section(1500);
  section(8100);
  sliced.record(1000, 2000);
  sliced.record(8000, 9000);
  ASSERT_EQ(sliced.s.tables.sections.size(), 1u);
  EXPECT_EQ(sliced.s.section(0).key.site, call);
  EXPECT_EQ(sliced.s.section(0).acquisitions, 2u);
}

/// A lock that a thread held when it was lost sight of is neither taken again by it nor held.
TEST(Slices, ForgetWhatWasHeld) {
  Slices sliced;
  sliced.take(1500, sliced.inner, 0x200);
  sliced.record(1000, 2000);
  sliced.hold(90'000, 90'010, sliced.inner, 0x200);
  sliced.record(80'000, 91'000);
  EXPECT_EQ(sliced.s.section(0).acquisitions, 2u);
  EXPECT_EQ(sliced.s.section(0).hold.count, 1u);
  EXPECT_EQ(sliced.s.replay.heldCount(), 0u);
}

TEST(Slices, KnowWhatAThreadIsBlockedIn) {
  Slices sliced;
  sliced.at(1500, Instant::block, sliced.block, 0);
  sliced.at(8100, Instant::unblock, sliced.block, 0);
  sliced.hold(8200, 8210, sliced.mutex, 0x100);
  sliced.record(1000, 2000);
  sliced.record(8000, 9000);
  // What it was at in the meantime is not known: until the end of the first slice blocked.
  EXPECT_DOUBLE_EQ(sliced.s.tables.threadClasses[0].blockedNs, 500 + 100);
}

TEST(Slices, EndWhereAThreadWaitsForACondition) {
  Slices sliced;
  sliced.take(1500, sliced.mutex, 0x100);
  sliced.at(1600, Instant::wait, sliced.wait, 0x100);
  sliced.at(8100, Instant::wake, sliced.wait, 0x100);
  sliced.at(8150, Instant::release, sliced.mutex, 0x100);
  sliced.record(1000, 2000);
  EXPECT_TRUE(sliced.s.replay.isBetweenSections());
  sliced.record(8000, 9000);
  EXPECT_EQ(sliced.s.section(0).acquisitions, 1u);
  EXPECT_DOUBLE_EQ(sliced.s.tables.threadClasses[0].blockedNs, 400 + 100);
}

} // namespace
