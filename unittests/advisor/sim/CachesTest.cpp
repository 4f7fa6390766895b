// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Caches.h"

#include <gtest/gtest.h>

namespace qdadvise::sim {

namespace {

/// Two sockets of two cores.
MulticoreCosts twoSockets() {
  MulticoreCosts costs;
  costs.cores = 4;
  costs.sockets = 2;
  costs.sameSocket = 100;
  costs.crossSocket = 300;
  return costs;
}

class CachesTest : public testing::Test {
protected:
  const MulticoreCosts costs = twoSockets();
  Caches caches{costs};
  CacheLine &line = caches.at(reinterpret_cast<const void *>(0x1000));
};

} // namespace

TEST_F(CachesTest, FindTheSameLineForAllItsBytes) {
  EXPECT_EQ(&line, &caches.at(reinterpret_cast<const void *>(0x103f)));
  EXPECT_NE(&line, &caches.at(reinterpret_cast<const void *>(0x1040)));
}

TEST_F(CachesTest, GiveALineThatIsNowhereToOneCoreAlone) {
  EXPECT_EQ(caches.copy(line, 2, 1000), 1100);
  EXPECT_TRUE(line.isOwnedBy(2));
}

TEST_F(CachesTest, CopyALineFromTheNearestCore) {
  caches.copy(line, 0, 0);
  EXPECT_EQ(caches.copy(line, 2, 1000), 1300);
  EXPECT_EQ(caches.copy(line, 3, 2000), 2100);
  EXPECT_TRUE(line.isAt(0) && line.isAt(2) && line.isAt(3));
  EXPECT_FALSE(line.isOwnedBy(0));
}

TEST_F(CachesTest, TakeALineFromTheFarthestCopy) {
  caches.copy(line, 0, 0);
  caches.copy(line, 1, 1000);
  EXPECT_EQ(caches.take(line, 0, 2000, 0), 2100);
  caches.copy(line, 2, 3000);
  EXPECT_EQ(caches.take(line, 0, 4000, 0), 4300);
  EXPECT_FALSE(line.isAt(2));
}

TEST_F(CachesTest, TakeALineThatTheCoreHasAloneAtOnce) {
  caches.take(line, 0, 0, 0);
  EXPECT_EQ(caches.take(line, 0, 1000, 20), 1000);
}

TEST_F(CachesTest, ServeOneRequestAtATime) {
  caches.take(line, 0, 0, 20);
  EXPECT_EQ(caches.take(line, 1, 50, 20), 220);
  EXPECT_EQ(caches.copy(line, 0, 50), 340);
}

} // namespace qdadvise::sim
