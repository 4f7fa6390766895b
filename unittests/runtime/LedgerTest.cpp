// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a section comes to in the tables.
#include "runtime/replay/ledger.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

class LedgerTest : public testing::Test {
protected:
  LedgerTest() : tables(arena, Limits{}), ledger(tables, context) {}

  HeldLock lock(std::uint64_t address, LockKind kind, std::uint32_t flags = 0) {
    Attempt attempt{};
    attempt.address = address;
    return lockTaken(attempt, {SiteRole::acquire, kind, flags, 2}, 1, ledger.accounts.clock.now);
  }
  void take(HeldLock &lock, double waitTicks, bool contended) {
    Acquisition taken{};
    taken.site = 5;
    taken.address = lock.identity();
    taken.inside = format::none;
    taken.outermost = true;
    taken.waitTicks = waitTicks;
    taken.contended = contended;
    taken.localTicks = 40;
    ledger.countAcquisition(lock, taken);
  }

  ReplayContext context;
  Arena arena;
  Tables tables;
  Ledger ledger;
};

TEST_F(LedgerTest, CountsASectionItsLockAndTheWayToIt) {
  HeldLock mutex = lock(0x10, LockKind::pthreadMutex);
  take(mutex, 7, true);
  ASSERT_EQ(mutex.section, 0u);
  mutex.own = 11;
  ledger.accounts.clock.now += 13;
  ledger.countHolding(mutex);
  const Section &section = tables.sections[0];
  EXPECT_EQ(section.acquisitions, 1u);
  EXPECT_EQ(section.contended, 1u);
  EXPECT_EQ(section.kind, LockKind::pthreadMutex);
  EXPECT_EQ(section.wait.moments().mean, 7);
  EXPECT_EQ(section.hold.moments().mean, 11);
  EXPECT_EQ(section.windows[0].holdNs, 11);
  EXPECT_EQ(tables.locks.find(0x10, 2)->heldNs, 13);
  ASSERT_EQ(tables.transitions.size(), 1u);
  EXPECT_EQ(tables.transitions[0].local.moments().mean, 40);
  EXPECT_EQ(ledger.lastSection, 0u);
}

TEST_F(LedgerTest, KnowsASectionInsideItself) {
  const std::uint32_t outer = ledger.sectionFor(5, 2, false, format::none);
  const std::uint32_t inner = ledger.sectionFor(5, 2, false, outer);
  EXPECT_NE(inner, outer);
  EXPECT_EQ(ledger.sectionFor(5, 2, false, inner), inner);
  EXPECT_NE(ledger.sectionFor(5, 2, true, inner), inner) << "readers are another section";
}

TEST_F(LedgerTest, TellsWhoeverListens) {
  EffectLog log;
  EndedSections ended{};
  ledger.log = &log;
  ledger.ended = &ended;
  HeldLock mutex = lock(0x10, LockKind::pthreadMutex);
  take(mutex, 4, false);
  mutex.own = 2;
  ledger.countHolding(mutex);
  ASSERT_EQ(log.count, 3u);
  EXPECT_EQ(log.effects[0].kind, Effect::passage);
  EXPECT_EQ(log.effects[1].kind, Effect::acquisition);
  EXPECT_EQ(log.effects[1].first, 4u);
  EXPECT_EQ(log.effects[2].kind, Effect::holding);
  EXPECT_EQ(log.effects[2].first, 2u);
  ASSERT_EQ(ended.count, 1u);
  EXPECT_EQ(ended.entries[0].lock, 0x10u);
}

TEST_F(LedgerTest, CountsReadersOfTheLockReadLast) {
  HeldLock read = lock(0x10, LockKind::pthreadRwlock, siteShared);
  take(read, 0, false);
  ledger.accounts.clock.now += 20;
  ledger.countHolding(read);
  const std::uint32_t last = packEvent(5, readersInstant, eventLast);
  ledger.countReaders({100, 0x20, last, 9}, 150); // of another lock
  EXPECT_EQ(tables.lockClassReaders[2].most, 0u);
  ledger.countReaders({100, 0x10, last, 3}, 150);
  EXPECT_EQ(tables.lockClassReaders[2].most, 3u);
  EXPECT_EQ(tables.lockClassReaders[2].heldNs, 20);
  EXPECT_EQ(tables.lockClassReaders[2].busy.moments().mean, 50);
}

TEST_F(LedgerTest, CountsFailures) {
  ledger.countFailures(5, 2, false, format::none, 3);
  EXPECT_EQ(tables.sites[5].tryFailures, 3u);
  EXPECT_EQ(tables.sites[5].executed, 3u);
  EXPECT_EQ(tables.sections[0].tryFailures, 3u);
}

} // namespace
