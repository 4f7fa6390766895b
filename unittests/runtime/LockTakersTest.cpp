// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tables/lock_takers.h"

#include "runtime/tables/lock_end_log.h"
#include "runtime/tables/tables.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

/// Threads whose tables are filled by hand.
class LockTakersTest : public testing::Test {
protected:
  struct Thread {
    Arena arena;
    Tables tables{arena, {}};
  };

  Tables &thread() { return (threads.emplace_back(std::make_unique<Thread>()))->tables; }

  /// A thread of this class took the lock so often, a nanosecond each time.
  static void take(Tables &tables, std::uint64_t address, std::uint64_t times,
                   std::uint32_t lockClass = 0, std::uint32_t threadClass = 1) {
    tables.section({threadClass, 0, lockClass, format::none, 0});
    LockTable::Place place = 0;
    Lock *const lock = tables.lock(address, lockClass, place);
    ASSERT_TRUE(lock);
    lock->acquisitions += times;
    lock->heldNs += static_cast<double>(times);
  }

  std::vector<Takers> collected() {
    LockTakers takers(arena);
    for (const auto &one : threads)
      takers.note(one->tables);
    takers.noteMakers(*ends);
    for (const auto &one : threads)
      takers.count(one->tables, ends);
    BlockArray<Takers> rows;
    takers.collect(arena, rows, mainClass);
    std::vector<Takers> result;
    for (std::uint32_t i = 0; i < rows.size(); ++i)
      result.push_back(rows[i]);
    return result;
  }

  /// A thread took the lock so often, and this or another one ends it.
  void takeAndEnd(Tables &taker, std::uint64_t address, std::uint64_t times, const Tables &by) {
    take(taker, address, times);
    const std::uint64_t at = ends->size();
    ASSERT_TRUE(ends->add(address, &by));
    give(taker, address, at);
  }
  /// A replay comes to that end.
  void give(Tables &taker, std::uint64_t address, std::uint64_t at) {
    taker.closeLock(address, [&](std::uint32_t lockClass, const LockTraffic &traffic) {
      ends->give(at, lockClass, traffic, &taker);
    });
  }

  static constexpr std::uint32_t mainClass = 0;
  std::vector<std::unique_ptr<Thread>> threads;
  LockEndLog *const ends = LockEndLog::make();
  Arena arena;
};

TEST_F(LockTakersTest, EachThreadHasALockOfItsOwn) {
  for (std::uint64_t i = 1; i <= 4; ++i)
    take(thread(), 64 * i, 100 * i);
  const std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].lockClass, 0u);
  EXPECT_EQ(rows[0].threadClass, 1u);
  EXPECT_EQ(rows[0].threads, 4u);
  EXPECT_EQ(rows[0].owners, 4u);
  EXPECT_EQ(rows[0].acquisitions, 1000u);
  EXPECT_EQ(rows[0].ofOwned, 1000u);
  EXPECT_EQ(rows[0].heldNs, 1000);
  EXPECT_EQ(rows[0].ofOwnedHeldNs, 1000);
}

TEST_F(LockTakersTest, LocksThatAllTakeAreNobodysOwn) {
  for (int i = 0; i < 4; ++i) {
    Tables &one = thread();
    for (std::uint64_t lock = 1; lock <= 4; ++lock)
      take(one, 64 * lock, 100);
  }
  const std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].threads, 4u);
  EXPECT_EQ(rows[0].owners, 0u);
  EXPECT_EQ(rows[0].acquisitions, 1600u);
  EXPECT_EQ(rows[0].ofOwned, 0u);
}

TEST_F(LockTakersTest, OthersMayTakeALockOnceInTwenty) {
  for (const std::uint64_t others : {5u, 6u}) {
    threads.clear();
    take(thread(), 64, 95);
    Tables &second = thread();
    take(second, 128, 1000);
    take(second, 64, others);
    const std::vector<Takers> rows = collected();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].owners, others == 5 ? 2u : 1u);
    EXPECT_EQ(rows[0].ofOwned, others == 5 ? 1100u : 1000u);
  }
}

TEST_F(LockTakersTest, SoFewAcquisitionsThatChanceExplainsThemTellNothing) {
  take(thread(), 64, 19);
  take(thread(), 128, 20);
  const std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].owners, 1u);
  EXPECT_EQ(rows[0].ofOwned, 20u);
}

TEST_F(LockTakersTest, OneThreadSaysNothing) {
  take(thread(), 64, 1000);
  EXPECT_TRUE(collected().empty());
  // Nor do two that are of different classes, or take locks of different ones.
  take(thread(), 128, 1000, 0, 2);
  take(thread(), 192, 1000, 1, 1);
  EXPECT_TRUE(collected().empty());
}

TEST_F(LockTakersTest, OneThreadHasTheLocksThatItMakesForItself) {
  Tables &one = thread();
  ASSERT_TRUE(ends->add(64, &one));
  take(one, 64, 970);
  take(one, 128, 30); // made before there were threads
  std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].threads, 1u);
  EXPECT_EQ(rows[0].owners, 1u);
  EXPECT_EQ(rows[0].acquisitions, 1000u);
  EXPECT_EQ(rows[0].ofOwned, 970u);
  EXPECT_EQ(rows[0].heldNs, 1000);
  EXPECT_EQ(rows[0].ofOwnedHeldNs, 970);
  // Of two threads it is known who takes what, whoever made it.
  take(thread(), 128, 100);
  rows = collected();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].owners, 1u);
  EXPECT_EQ(rows[0].ofOwned, 970u);
  take(threads.back()->tables, 64, 900);
  EXPECT_EQ(collected()[0].ofOwned, 0u);
}

TEST_F(LockTakersTest, ALockThatAnotherThreadMadeIsNotTheTakersOwn) {
  Tables &one = thread();
  ASSERT_TRUE(ends->add(64, &one));
  ASSERT_TRUE(ends->add(64, nullptr)); // it was made anew
  take(one, 64, 1000);
  EXPECT_TRUE(collected().empty());
}

TEST_F(LockTakersTest, WhatTheMainThreadMakesMayBeForAll) {
  Tables &main = thread();
  ASSERT_TRUE(ends->add(64, &main));
  take(main, 64, 1000, 0, mainClass);
  EXPECT_TRUE(collected().empty());
}

TEST_F(LockTakersTest, AClosedLockIsOfTheThreadThatAloneTookItAndEndedIt) {
  Tables &one = thread(), &other = thread();
  take(one, 64, 20);
  takeAndEnd(one, 128, 1000, one);
  takeAndEnd(one, 192, 1000, other);
  takeAndEnd(one, 256, 19, one);
  const std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].threads, 1u);
  EXPECT_EQ(rows[0].owners, 1u);
  EXPECT_EQ(rows[0].acquisitions, 1020u);
  EXPECT_EQ(rows[0].ofOwned, 1000u);
  EXPECT_EQ(rows[0].ofOwnedHeldNs, 1000);
}

TEST_F(LockTakersTest, AClosedLockThatTwoTookIsNobodys) {
  Tables &one = thread(), &other = thread();
  take(other, 64, 1000);
  takeAndEnd(one, 64, 1000, one);
  give(other, 64, 0);
  EXPECT_TRUE(collected().empty());
}

TEST_F(LockTakersTest, ClosedLocksStayOfTheirThreadWhenTheLogIsFull) {
  Tables &one = thread();
  std::uint64_t at = 0;
  for (; at < LockEndLog::capacity + 100; ++at) {
    takeAndEnd(one, 64, 50, one);
    ends->passed(at);
  }
  std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_GE(rows[0].ofOwned, 50 * LockEndLog::capacity);
  ends->thin(1);
  EXPECT_NEAR(static_cast<double>(collected()[0].ofOwned), static_cast<double>(rows[0].ofOwned) / 2,
              60);
  ends->forget();
  EXPECT_TRUE(collected().empty());
}

TEST_F(LockTakersTest, OtherClassesOfThreadsHaveRowsOfTheirOwn) {
  take(thread(), 64, 1000);
  take(thread(), 128, 1000);
  Tables &visitor = thread();
  take(visitor, 64, 10, 0, 0);
  take(visitor, 192, 70, 0, 0);
  const std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].ofOwned, 2000u);
  EXPECT_EQ(rows[1].threadClass, 0u);
  EXPECT_EQ(rows[1].threads, 1u);
  EXPECT_EQ(rows[1].owners, 0u) << "others of its class might take the same";
  EXPECT_EQ(rows[1].ofOwned, 80u);
}

TEST_F(LockTakersTest, ALockHasOneOwnerUnderAllItsNames) {
  take(thread(), 64, 1000, 0);
  Tables &second = thread();
  take(second, 128, 1000, 0);
  take(second, 64, 1000, 1); // a pointer's name
  const std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].owners, 1u);
  EXPECT_EQ(rows[0].ofOwned, 1000u);
}

TEST_F(LockTakersTest, ThreadsOfSeveralClassesOneAfterTheOtherAreOfNone) {
  take(thread(), 64, 1000);
  take(thread(), 128, 1000);
  Tables &pool = thread();
  take(pool, 192, 1000, 0, 1);
  take(pool, 192, 1000, 0, 2);
  const std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].threadClass, format::none);
  EXPECT_EQ(rows[1].owners, 0u);
}

TEST_F(LockTakersTest, LocksBeyondTheLimitAreNobodysOwn) {
  take(thread(), 0, 1000);
  take(thread(), 64, 1000);
  const std::vector<Takers> rows = collected();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].acquisitions, 2000u);
  EXPECT_EQ(rows[0].ofOwned, 1000u);
}

} // namespace
