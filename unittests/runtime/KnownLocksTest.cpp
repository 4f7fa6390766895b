// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much of a recording can be spared.
#include "runtime/tables/known_locks.h"

#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr unsigned any = 20;

unsigned sparable(const Stream &s) {
  KnownLocks known;
  known.add(s.tables);
  return known.sparableShift(any);
}

void hold(Stream &s, std::uint32_t site, unsigned times, std::uint64_t ticks) {
  for (unsigned i = 0; i < times; ++i)
    s.after(10).take(site, 0x100 + site).after(ticks).release(site, 0x100 + site);
}

TEST(KnownLocks, NeedTenThousandObservationsOfASite) {
  Stream s;
  const auto only = s.site(LockKind::pthreadMutex, 0);
  EXPECT_EQ(sparable(s), 0u) << "nothing is known";
  hold(s, only, 19'990, 50);
  EXPECT_EQ(sparable(s), 0u);
  hold(s, only, 60'100, 50);
  EXPECT_EQ(sparable(s), 3u);
}

TEST(KnownLocks, NeedFewerOfWhatIsLittle) {
  Stream s;
  const auto most = s.site(LockKind::pthreadMutex, 0), rest = s.site(LockKind::pthreadMutex, 1);
  hold(s, most, 80'100, 50);
  hold(s, rest, 20, 50);
  EXPECT_EQ(sparable(s), 3u);
  // A tenth of all time of few long sections.
  hold(s, rest, 90, 5000);
  EXPECT_EQ(sparable(s), 0u);
}

TEST(KnownLocks, AreOfOneClassAtAllSites) {
  Stream s;
  const auto one = s.site(LockKind::pthreadMutex, 0), other = s.site(LockKind::pthreadMutex, 0);
  hold(s, one, 40'100, 50);
  hold(s, other, 40'100, 50);
  EXPECT_EQ(sparable(s), 3u);
}

TEST(KnownLocks, AreKnownByAllThreads) {
  Stream s;
  const auto only = s.site(LockKind::pthreadMutex, 0);
  hold(s, only, 20'100, 50);
  KnownLocks known;
  known.add(s.tables);
  known.add(s.tables);
  EXPECT_EQ(known.sparableShift(any), 2u);
  EXPECT_EQ(known.sparableShift(1), 1u);
}

TEST(KnownLocks, CareForNoSingleLongSection) {
  Stream s;
  const auto most = s.site(LockKind::pthreadMutex, 0), rest = s.site(LockKind::pthreadMutex, 1);
  hold(s, most, 40'100, 50);
  hold(s, rest, 1, 1'000'000);
  EXPECT_EQ(sparable(s), 2u);
}

} // namespace
