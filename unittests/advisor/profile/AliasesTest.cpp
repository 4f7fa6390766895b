// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/Aliases.h"
#include "advisor/profile/summary/Summary.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace qdadvise;
using namespace qdadvise::testing;

namespace {

/// `Store::m` under its own name and through the reference `View::lock`.
ProfileBuilder twoNames() {
  ProfileBuilder b;
  const std::size_t worker = b.threads("worker", 1);
  const std::size_t reference = b.lockClass("View::lock", LockKind::pthreadMutex);
  const std::size_t own = b.lockClass("Store::m", LockKind::pthreadMutex);
  b.lock(reference, 0x1000, 10, 100);
  b.lock(own, 0x1000, 30, 300);
  b.section(worker, b.site("View::add()", 1), reference, 10, 10);
  b.section(worker, b.site("Store::add()", 2), own, 30, 10);
  return b;
}

TEST(Aliases, OneLockUnderTwoNamesIsOneLock) {
  ProfileBuilder b = twoNames();
  b.profile.lockClasses[0].readers = {4, 60, constant(1, 30)};
  b.profile.lockClasses[1].readers = {2, 40, constant(2, 30)};
  joinAliases(b.profile);
  ASSERT_EQ(b.profile.locks.size(), 1u);
  EXPECT_EQ(b.profile.locks[0].acquisitions, 40u);
  EXPECT_EQ(b.profile.locks[0].heldNs, 400);
  EXPECT_EQ(b.profile.lockClasses[1].readers.most, 4u);
  EXPECT_EQ(b.profile.lockClasses[1].readers.busy.count, 3u);
  const ProfileSummary summary = summarize(b.profile);
  ASSERT_EQ(summary.locks.size(), 1u);
  EXPECT_EQ(summary.locks[0].name, "Store::m");
  EXPECT_EQ(summary.locks[0].instances, 1u);
  EXPECT_EQ(summary.locks[0].sites.size(), 2u);
}

TEST(Aliases, APointersNameIsTheLastChoice) {
  ProfileBuilder b = twoNames();
  b.profile.lockClasses[1].name = "*m";
  joinAliases(b.profile);
  ASSERT_EQ(summarize(b.profile).locks.size(), 1u);
  EXPECT_EQ(summarize(b.profile).locks[0].name, "View::lock");
}

TEST(Aliases, LocksThatDifferStayApart) {
  const auto locksAfter = [](auto change) {
    ProfileBuilder b = twoNames();
    change(b);
    joinAliases(b.profile);
    return summarize(b.profile).locks.size();
  };
  EXPECT_EQ(locksAfter([](ProfileBuilder &b) { b.profile.locks[0].address = 0x2000; }), 2u);
  EXPECT_EQ(locksAfter([](ProfileBuilder &b) { b.lock(0, 0x2000, 5); }), 2u) << "several locks";
  EXPECT_EQ(locksAfter([](ProfileBuilder &b) { b.lock(0, 0, 5); }), 2u) << "some not told apart";
  EXPECT_EQ(locksAfter([](ProfileBuilder &b) {
              b.profile.lockClasses[0].kind = static_cast<std::uint32_t>(LockKind::pthreadSpin);
            }),
            2u)
      << "of another algorithm";
}

/// An array of four locks under its own name, and under another one that has the last two.
ProfileBuilder anArray() {
  ProfileBuilder b;
  const std::size_t worker = b.threads("worker", 1);
  const std::size_t parameter = b.lockClass("m", LockKind::pthreadMutex);
  const std::size_t own = b.lockClass("rows", LockKind::pthreadMutex);
  for (std::uint64_t i = 0; i < 4; ++i)
    b.lock(own, 0x1000 + 64 * i, 10 + i, 100);
  for (std::uint64_t i = 2; i < 4; ++i)
    b.lock(parameter, 0x1000 + 64 * i, 50, 500);
  b.section(worker, b.site("with(std::mutex &)", 1), parameter, 100, 10);
  b.section(worker, b.site("Table::add()", 2), own, 46, 10);
  return b;
}

std::vector<std::string> namesAfterJoining(ProfileBuilder b) {
  joinAliases(b.profile);
  std::vector<std::string> names;
  for (const LockSummary &lock : summarize(b.profile).locks)
    names.push_back(lock.name);
  std::ranges::sort(names);
  return names;
}

TEST(Aliases, SomeOfAnArraysLocksAreThatArrays) {
  ProfileBuilder b = anArray();
  joinAliases(b.profile);
  const ProfileSummary summary = summarize(b.profile);
  ASSERT_EQ(summary.locks.size(), 1u);
  EXPECT_EQ(summary.locks[0].name, "rows");
  EXPECT_EQ(summary.locks[0].instances, 4u);
  EXPECT_EQ(summary.locks[0].sites.size(), 2u);
  ASSERT_EQ(b.profile.locks.size(), 4u);
  EXPECT_EQ(b.profile.locks[1].acquisitions, 11u);
  EXPECT_EQ(b.profile.locks[3].acquisitions, 63u);
  EXPECT_EQ(b.profile.locks[3].heldNs, 600);
}

TEST(Aliases, WhoseOwnALockIsByAllItsNamesIsNotKnown) {
  ProfileBuilder b = anArray();
  b.profile.takers = {{0, 0, 2, 2, 100, 100}, {1, 0, 2, 2, 46, 46}};
  joinAliases(b.profile);
  EXPECT_TRUE(b.profile.takers.empty());
  b = anArray();
  b.profile.locks.back().address = 0x9000; // not of the array: they stay apart
  b.profile.takers = {{0, 0, 2, 2, 100, 100}, {1, 0, 2, 2, 46, 46}};
  joinAliases(b.profile);
  EXPECT_EQ(b.profile.takers.size(), 2u);
}

TEST(Aliases, OneOfManyLocksStaysApart) {
  ProfileBuilder b = anArray();
  b.profile.locks.pop_back(); // as it may be the one that all threads meet at
  EXPECT_EQ(namesAfterJoining(b), (std::vector<std::string>{"m", "rows"}));
}

TEST(Aliases, AFunctionForLocksOfSeveralArraysJoinsNone) {
  const auto arrays = [](const std::string &first, const std::string &second) {
    ProfileBuilder b;
    const std::size_t worker = b.threads("worker", 1);
    const std::size_t all = b.lockClass("m", LockKind::pthreadMutex);
    const std::size_t one = b.lockClass(first, LockKind::pthreadMutex);
    const std::size_t two = b.lockClass(second, LockKind::pthreadMutex);
    for (std::uint64_t i = 0; i < 4; ++i) {
      b.lock(all, 0x1000 + 64 * i, 10, 100);
      b.lock(i < 2 ? one : two, 0x1000 + 64 * i, 10, 100);
    }
    std::uint32_t line = 0;
    for (const std::size_t lockClass : {all, one, two})
      b.section(worker, b.site("f()", ++line), lockClass, 20, 10);
    return b;
  };
  EXPECT_EQ(namesAfterJoining(arrays("rows", "columns")),
            (std::vector<std::string>{"columns", "m", "rows"}));
  // One type that several files declare each for themselves is no other array.
  EXPECT_EQ(namesAfterJoining(arrays("Lock::m@a.c:1", "Lock::m@b.c:1")),
            (std::vector<std::string>{"m"}));
}

} // namespace
