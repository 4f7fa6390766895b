// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/Aliases.h"
#include "advisor/profile/summary/Summary.h"
#include "unittests/advisor/profile/SampleProfile.h"

#include <gtest/gtest.h>

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

} // namespace
