// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who reads which lock, and what replay makes of it.
#include "runtime/tables/readers.h"

#include "unittests/runtime/Stream.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

TEST(ReaderTable, TheLastOneOutKnowsSinceWhen) {
  ReaderTable &table = *ReaderTable::make();
  std::uint64_t since = 0;
  const ReaderTable::Entry first = table.enter(0x1000);
  table.begin(first, 70);
  const ReaderTable::Entry second = table.enter(0x1000), other = table.enter(0x2000);
  EXPECT_EQ(first.readers, 1u);
  EXPECT_EQ(second.readers, 2u);
  EXPECT_EQ(other.readers, 1u);
  EXPECT_FALSE(table.leave(first, since));
  EXPECT_TRUE(table.leave(second, since));
  EXPECT_EQ(since, 70u);
  EXPECT_EQ(table.enter(0x1000).readers, 1u) << "a new period";
}

TEST(ReaderTable, WhatIsForgottenNeedNotLeave) {
  ReaderTable &table = *ReaderTable::make();
  std::uint64_t since = 0;
  const ReaderTable::Entry before = table.enter(0x1000);
  const std::uint32_t epoch = table.epoch();
  table.forget();
  EXPECT_NE(table.epoch(), epoch);
  EXPECT_FALSE(table.leave(before, since));
  EXPECT_EQ(table.enter(0x1000).readers, 1u);
}

TEST(ReaderTable, LetsInAtOnceWhereTheLockHasItsCell) {
  ReaderTable &table = *ReaderTable::make();
  std::uint64_t since = 0;
  EXPECT_EQ(table.enterAtOnce(0x1000).readers, 0u) << "nobody has read it";
  const ReaderTable::Entry first = table.enter(0x1000), second = table.enterAtOnce(0x1000);
  EXPECT_EQ(second.readers, 2u);
  EXPECT_FALSE(table.leave(second, since));
  EXPECT_TRUE(table.leave(first, since));
  const ReaderTable::Entry again = table.enterAtOnce(0x1000);
  EXPECT_EQ(again.readers, 1u);
  EXPECT_TRUE(table.leave(again, since));
  EXPECT_EQ(table.enterAtOnce(0x0b00'7fff'1234'5678).readers, 0u) << "no room for a tag";
}

TEST(ReaderTable, LeavesOutAddressesWithATag) {
  ReaderTable &table = *ReaderTable::make();
  EXPECT_EQ(table.enter(0x0b00'7fff'1234'5678).readers, 0u);
}

TEST(ReaderTable, HasRoomForAnyNumberOfLocksThatTakeTurns) {
  ReaderTable &table = *ReaderTable::make();
  std::uint64_t since = 0;
  for (std::uint64_t lock = 1; lock <= 300'000; ++lock) {
    const ReaderTable::Entry entry = table.enter(64 * lock);
    ASSERT_EQ(entry.readers, 1u);
    ASSERT_TRUE(table.leave(entry, since));
  }
}

TEST(ReaderTable, SaysWhenThereAreTooManyAtOnce) {
  ReaderTable &table = *ReaderTable::make();
  std::uint64_t lock = 1;
  while (table.enter(64 * lock).readers == 1)
    ASSERT_LT(++lock, 100'000u);
  EXPECT_GT(lock, 10'000u);
}

/// As many periods begin as end, and nobody is ever alone in company.
TEST(ReaderTable, CountsRightWhoeverComesBetween) {
  ReaderTable &table = *ReaderTable::make();
  constexpr int threads = 4, locks = 3;
  std::atomic<std::uint64_t> inside[locks] = {}, begun = 0, ended = 0;
  std::vector<std::thread> readers;
  for (int t = 0; t < threads; ++t)
    readers.emplace_back([&, t] {
      for (int i = 0; i < 30'000; ++i) {
        const int lock = (i + t) % locks;
        const ReaderTable::Entry entry = table.enter(static_cast<std::uint64_t>(lock + 1) << 20);
        const std::uint64_t company = ++inside[lock];
        if (company > threads || entry.readers == 0 || entry.readers > threads)
          ADD_FAILURE() << company << " of " << entry.readers;
        begun += entry.readers == 1;
        --inside[lock];
        std::uint64_t since = 0;
        ended += table.leave(entry, since);
      }
    });
  for (std::thread &reader : readers)
    reader.join();
  EXPECT_GT(begun, 0u);
  EXPECT_EQ(begun, ended);
}

struct ReaderStream : Stream {
  std::uint32_t read = site(LockKind::pthreadRwlock, 3, siteShared);
  std::uint32_t write = site(LockKind::pthreadRwlock, 3);
  std::uint32_t leave = site(LockKind::pthreadRwlock, 3, 0, SiteRole::release);

  /// What the hook of a release tells of a reader that was the `nth` to come in.
  void tell(std::uint64_t address, std::uint32_t nth, bool last, std::uint64_t since = 0) {
    const Event one{since, address, packEvent(leave, readersInstant, last ? eventLast : 0), nth};
    replay.run(&one, 1);
  }
};

TEST(Readers, BelongToTheClassOfTheLock) {
  ReaderStream s;
  s.after(100).take(s.read, 1).after(40).release(s.leave, 1);
  s.tell(1, 2, false);
  s.after(100).take(s.read, 1).after(60).release(s.leave, 1);
  s.tell(1, 1, true, s.now - 90);
  s.after(100).take(s.write, 1).after(50).release(s.leave, 1);
  ASSERT_EQ(s.tables.lockClassReaders.size(), 4u);
  const Readers &readers = s.tables.lockClassReaders[3];
  EXPECT_EQ(readers.most, 2u);
  EXPECT_EQ(readers.heldNs, 100);
  EXPECT_EQ(readers.busy.count, 1u);
  EXPECT_EQ(readers.busy.max, 90);
  ASSERT_TRUE(s.tables.locks.find(1, 3));
  EXPECT_EQ(s.tables.locks.find(1, 3)->heldNs, 150);
}

TEST(Readers, OfAWrapperAreThoseOfThePrimitiveInside) {
  ReaderStream s;
  const std::uint32_t outer = s.site(LockKind::unknown, 5, siteShared);
  s.after(9).attempt(outer, 8).take(s.read, 1).acquire(outer, 8);
  s.after(30).release(outer, 8);
  s.tell(8, 1, true, s.now - 30);
  s.release(s.leave, 1);
  s.tell(1, 1, true, s.now - 30);
  const Readers &readers = s.tables.lockClassReaders[5];
  EXPECT_EQ(readers.busy.count, 1u) << "one lock, told of twice";
  EXPECT_EQ(readers.heldNs, 30);
}

TEST(Readers, AWriterWaitsForReadersOrForAWriter) {
  ReaderStream s;
  const auto waitFor = [&](std::uint64_t ns, std::uint32_t flags) {
    s.after(10).attempt(s.write, 1, flags).after(ns).acquire(s.write, 1);
    s.after(5).release(s.leave, 1);
  };
  for (int i = 0; i < 3; ++i) { // the short cut through a buffer is taken from the second time on
    waitFor(20, eventTaken);
    waitFor(70, eventTaken | eventByWriter);
    waitFor(0, 0);
  }
  const Section &section = s.section(0);
  EXPECT_EQ(section.contended, 6u);
  EXPECT_EQ(section.contendedByWriter, 3u);
  EXPECT_EQ(section.waitContended.count, 6u);
  EXPECT_EQ(section.waitByWriter.count, 3u);
  EXPECT_EQ(section.waitByWriter.moments().mean, 70);
}

TEST(Readers, OfSeveralThreadsAreAddedUp) {
  ReaderStream a, b;
  a.take(a.read, 1).after(40).release(a.leave, 1);
  a.tell(1, 3, true, a.now - 40);
  b.take(b.read, 1).after(60).release(b.leave, 1);
  b.tell(1, 1, true, b.now - 60);
  a.tables.merge(b.tables);
  const Readers &readers = a.tables.lockClassReaders[3];
  EXPECT_EQ(readers.most, 3u);
  EXPECT_EQ(readers.heldNs, 100);
  EXPECT_EQ(readers.busy.moments().mean, 50);
}

} // namespace
