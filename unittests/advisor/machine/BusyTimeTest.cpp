// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/machine/calibration/BusyTime.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace qdadvise;

TEST(BusyTimeTest, idleProcessorsAndThoseThatWaitForInputAreNotBusy) {
  // user nice system idle iowait irq softirq steal guest guest_nice; guests are users, too
  std::istringstream stat("cpu  100 20 30 1000 500 4 6 40 70 80\ncpu0 50 10 15 500 250 2 3 20\n");
  const BusyTime time = parseBusyTime(stat, 100);
  EXPECT_DOUBLE_EQ(time.busy, 2.0);
  EXPECT_DOUBLE_EQ(time.all, 17.0);
}

TEST(BusyTimeTest, anotherTextHasNoTimes) {
  std::istringstream stat("processes 7\n");
  EXPECT_EQ(parseBusyTime(stat, 100).all, 0);
}

TEST(BusyTimeTest, grows) {
  const BusyTime first = readBusyTime();
  EXPECT_GT(first.all, 0);
  EXPECT_LE(first.busy, readBusyTime().busy);
}
