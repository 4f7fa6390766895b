// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/unseen/unseen_locks.h"

#include "unittests/runtime/Stream.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

class UnseenLocksTest : public testing::Test {
protected:
  bool isOutside() const {
    return isOutsideOperations(s.events.data(), s.events.data() + s.events.size(), s.context.sites);
  }

  Stream s;
  std::uint32_t mutex = s.site();
  std::uint32_t call = s.site(LockKind::unknown, 0, 0, SiteRole::wrapper);
  std::uint32_t condition = s.site(LockKind::unknown, 0, 0, SiteRole::wait);
};

TEST_F(UnseenLocksTest, ALockTakenInAnOperationIsSeen) {
  EXPECT_TRUE(isOutside()) << "nothing was begun yet";
  s.attempt(mutex, 64);
  EXPECT_FALSE(isOutside());
  s.acquire(mutex, 64);
  EXPECT_TRUE(isOutside()) << "in the section";
  s.release(mutex, 64);
  EXPECT_TRUE(isOutside());
  s.attempt(mutex, 64).event(Instant::fail, mutex, 64);
  EXPECT_TRUE(isOutside()) << "after a try that failed";
}

TEST_F(UnseenLocksTest, ACallThatMayReturnWithALockIsNoOperationByItself) {
  s.attempt(call, 64);
  EXPECT_TRUE(isOutside()) << "what it calls may have no hooks";
  s.attempt(mutex, 64);
  EXPECT_FALSE(isOutside());
}

TEST_F(UnseenLocksTest, AWaitTakesItsLockAgain) {
  s.take(mutex, 64).event(Instant::wait, condition, 64);
  EXPECT_FALSE(isOutside());
  s.take(mutex, 128).release(mutex, 128);
  EXPECT_FALSE(isOutside()) << "after a lock of the wait's own";
  s.event(Instant::wake, condition, 64);
  EXPECT_TRUE(isOutside());
}

} // namespace
