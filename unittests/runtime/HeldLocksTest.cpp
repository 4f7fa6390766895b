// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The locks that a thread holds, and the releases that belong to one of them.
#include "runtime/replay/expected_releases.h"
#include "runtime/replay/held_locks.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr SiteTraits mutexSite{SiteRole::acquire, LockKind::pthreadMutex, 0, 7};
constexpr SiteTraits readSite{SiteRole::acquire, LockKind::pthreadRwlock, siteShared, 8};
constexpr SiteTraits unknownSite{SiteRole::acquire, LockKind::unknown, 0, 9};

Attempt attempt(std::uint64_t address, std::uint64_t serial, std::uint32_t site = 0) {
  Attempt made{};
  made.address = address;
  made.serial = serial;
  made.site = site;
  return made;
}

HeldLock lock(std::uint64_t address, std::uint64_t serial, const SiteTraits &site = mutexSite) {
  return lockTaken(attempt(address, serial), site, serial, 0);
}

HeldLock innerLock(std::uint64_t address, std::uint64_t serial, const SiteTraits &site) {
  HeldLock made = lock(address, serial, site);
  made.inner = true;
  return made;
}

TEST(HeldLocks, BeginAsTheirSiteSays) {
  const HeldLock made = lockTaken(attempt(0x10, 3), readSite, 4, 25);
  EXPECT_EQ(made.identity(), 0x10u);
  EXPECT_EQ(made.lockClass, 8u);
  EXPECT_EQ(made.kind, LockKind::pthreadRwlock);
  EXPECT_TRUE(made.shared);
  EXPECT_EQ(made.serial, 4u);
  EXPECT_EQ(made.acquired, 25);
  EXPECT_EQ(made.section, format::none);
}

TEST(HeldLocks, AreFoundByAddressAndBySerial) {
  HeldLocks held;
  held.add(lock(0x10, 1));
  held.add(lock(0x20, 2));
  held.add(lock(0x10, 3));
  EXPECT_EQ(held.find(0x10), 2) << "the newest";
  EXPECT_EQ(held.find(0x30), -1);
  EXPECT_TRUE(held.holds(2));
  held.remove(1);
  EXPECT_FALSE(held.holds(2));
  EXPECT_EQ(held.size(), 2u);
  EXPECT_EQ(held.newest().serial, 3u);
}

TEST(HeldLocks, AreOneWithWhatWasTakenInside) {
  Attempts attempts;
  attempts.push(attempt(0x10, 1));
  HeldLocks held;
  held.add(lock(0x90, 1)); // before it
  held.add(innerLock(0x18, 2, readSite));
  HeldLock outer = lock(0x10, 3, unknownSite);
  held.bindInner(outer, attempts[0], attempts, false, 0, nullptr);
  EXPECT_EQ(held.size(), 1u) << "the inner one is part of it";
  EXPECT_EQ(outer.addressCount, 2u);
  EXPECT_EQ(outer.identity(), 0x18u);
  EXPECT_EQ(outer.kind, LockKind::pthreadRwlock);
  EXPECT_TRUE(outer.shared);
}

TEST(HeldLocks, TakenTogetherGetTheNearestInside) {
  Attempts attempts;
  attempts.push(attempt(0x100, 1));
  attempts.push(attempt(0x200, 2));
  HeldLocks held;
  held.add(innerLock(0x108, 3, mutexSite));
  held.add(innerLock(0x208, 4, mutexSite));
  HeldLock first = lock(0x100, 5, unknownSite);
  held.bindInner(first, attempts[0], attempts, true, 0, nullptr);
  EXPECT_EQ(first.identity(), 0x108u);
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].identity(), 0x208u);
}

TEST(HeldLocks, EncloseWithTheNewestSection) {
  HeldLocks held;
  EXPECT_EQ(held.enclosingSection(), format::none);
  held.add(lock(0x10, 1));
  held[0].section = 5;
  held.add(lock(0x20, 2)); // not recorded
  EXPECT_EQ(held.enclosingSection(), 5u);
  held.discardSections();
  EXPECT_EQ(held.enclosingSection(), format::none);
  EXPECT_EQ(held.find(0x10), 0) << "its release is still known";
}

TEST(ExpectedReleases, AreThoseFurtherInThanTheReleased) {
  HeldLock wrapped = lock(0x10, 1);
  wrapped.addresses[1] = 0x18;
  wrapped.addresses[2] = 0x20;
  wrapped.addressCount = 3;
  ExpectedReleases expected;
  EXPECT_FALSE(expected.any());
  expected.expectRest(wrapped, 0x18);
  EXPECT_FALSE(expected.take(0x10));
  EXPECT_TRUE(expected.take(0x20));
  EXPECT_FALSE(expected.take(0x20)) << "once";
  EXPECT_FALSE(expected.any());
}

TEST(ExpectedReleases, EndWhereTheLockIsTakenAgain) {
  HeldLock wrapped = lock(0x10, 1);
  wrapped.addresses[1] = 0x18;
  wrapped.addressCount = 2;
  ExpectedReleases expected;
  expected.expectRest(wrapped, 0x10);
  EXPECT_TRUE(expected.any());
  expected.forget(lock(0x18, 2));
  EXPECT_FALSE(expected.any());
  expected.expectRest(wrapped, 0x10);
  expected.clear();
  EXPECT_FALSE(expected.take(0x18));
}

} // namespace
