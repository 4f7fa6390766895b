// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which locks are of one class.
#include "runtime/sites/lock_classes.h"

#include <gtest/gtest.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

class LockClassesTest : public testing::Test {
protected:
  LockClassesTest() {
    EXPECT_TRUE(classes.prepare());
    site.role = SiteRole::acquire;
    site.kind = LockKind::pthreadMutex;
    site.file = "use.c";
    site.line = 30;
    site.expression = "&queue->lock";
    site.lockName = "Queue::lock";
    site.lockType = "pthread_mutex_t";
    site.declFile = "queue.h";
    site.declLine = 7;
  }

  LockClasses classes;
  SiteRecord site{};
};

TEST_F(LockClassesTest, ADeclarationIsOneHoweverManySitesTakeIt) {
  const std::uint32_t first = classes.ofSite(site);
  site.line = 40;
  EXPECT_EQ(classes.ofSite(site), first);
  EXPECT_STREQ(classes[first].name, "Queue::lock");
  EXPECT_STREQ(classes[first].declFile, "queue.h");
  site.declLine = 8;
  EXPECT_NE(classes.ofSite(site), first);
  EXPECT_EQ(classes.size(), 2u);
}

TEST_F(LockClassesTest, ThePlaceStandsForADeclarationThatNobodyKnows) {
  site.declLine = 0;
  site.lockName = "";
  const std::uint32_t here = classes.ofSite(site);
  EXPECT_STREQ(classes[here].name, "&queue->lock");
  EXPECT_EQ(classes[here].declLine, 30u);
  site.line = 40;
  EXPECT_NE(classes.ofSite(site), here);
}

TEST_F(LockClassesTest, AWrapperMayLeaveItToTheLockInside) {
  site.role = SiteRole::wrapper;
  EXPECT_NE(classes.ofSite(site), format::none);
  site.declLine = 0;
  EXPECT_EQ(classes.ofSite(site), format::none);
  site.role = SiteRole::release;
  EXPECT_EQ(classes.ofSite(site), 0u);
}

TEST_F(LockClassesTest, ANameOfTheProgramsIsOneOfItsOwn) {
  const std::uint32_t named = classes.ofName("Queue::lock");
  EXPECT_NE(classes.ofSite(site), named);
  EXPECT_EQ(classes.ofName("Queue::lock"), named);
}

} // namespace
