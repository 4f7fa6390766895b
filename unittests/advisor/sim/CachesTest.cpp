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
  costs.copy = 60;
  costs.copyInterval = 20;
  return costs;
}

class CachesTest : public testing::Test {
protected:
  Time copy(std::uint32_t processor, Time at) {
    return caches.serve(line, processor, Need::copy, at, 0);
  }
  Time take(std::uint32_t processor, Time at) {
    return caches.serve(line, processor, Need::alone, at, 0);
  }
  bool has(std::uint32_t processor, Need need) {
    return caches.has(line, processor, need, 10'000).has_value();
  }

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
  EXPECT_EQ(copy(2, 1000), 1100);
  EXPECT_TRUE(has(2, Need::alone));
}

TEST_F(CachesTest, CopyALineFromTheNearestCore) {
  take(0, 0);
  EXPECT_EQ(copy(2, 1000), 1300); // across sockets
  EXPECT_EQ(copy(3, 2000), 2060); // the socket has a copy, which nobody has alone
  EXPECT_TRUE(has(0, Need::copy) && has(2, Need::copy) && has(3, Need::copy));
  EXPECT_FALSE(has(0, Need::alone));
}

TEST_F(CachesTest, HandOutCopiesBeforeTheFirstHasArrived) {
  take(0, 0);
  copy(1, 1000);
  EXPECT_EQ(line.freeAt, 1100); // who had it alone has to give it away
  EXPECT_EQ(copy(2, 1100), 1400);
  EXPECT_EQ(line.freeAt, 1110);   // two sockets hand out copies, each in 20
  EXPECT_EQ(copy(3, 1110), 1400); // no sooner than its socket has one
}

TEST_F(CachesTest, TakeALineFromTheFarthestCopy) {
  take(0, 0);
  copy(1, 1000);
  EXPECT_EQ(take(0, 2000), 2100);
  copy(2, 3000);
  EXPECT_EQ(take(0, 4000), 4300);
  EXPECT_FALSE(has(2, Need::copy));
  EXPECT_EQ(line.freeAt, 4300);
}

TEST_F(CachesTest, GiveAReaderALineAloneThatWasWritten) {
  MulticoreCosts alone = twoSockets();
  alone.upgrade = 10;
  Caches other(alone);
  CacheLine &word = other.at(reinterpret_cast<const void *>(0x2000));
  const auto read = [&](std::uint32_t processor, Time at) {
    return other.serve(word, processor, Need::copy, at, 0);
  };
  other.serve(word, 0, Need::alone, 1000, 0);
  EXPECT_EQ(read(2, 2000), 2300);
  EXPECT_EQ(word.freeAt, 2300) << "it has to travel";
  EXPECT_TRUE(word.isOwnedBy(2));
  EXPECT_EQ(read(3, 3000), 3100);
  EXPECT_FALSE(word.isOwnedBy(2) || word.isOwnedBy(3)) << "nobody has written it since";
  EXPECT_TRUE(word.isAt(2) && word.isAt(3));
}

TEST_F(CachesTest, ExecuteAtomicInstructionsAtTheLinesHome) {
  MulticoreCosts far = twoSockets();
  far.request = 40;
  far.farInterval = 10;
  Caches other(far);
  CacheLine &word = other.at(reinterpret_cast<const void *>(0x2000));
  const auto serve = [&](std::uint32_t processor, Need need, Time at) {
    return other.serve(word, processor, need, at, 0);
  };
  EXPECT_EQ(serve(0, Need::atHome, 1000), 1100); // a line that is nowhere comes to the core
  EXPECT_TRUE(other.has(word, 0, Need::atHome, 1100).has_value());
  EXPECT_EQ(serve(1, Need::atHome, 2000), 2060); // a transfer, less the request's way
  EXPECT_EQ(word.freeAt, 2050);
  EXPECT_FALSE(other.has(word, 0, Need::copy, 2060) || other.has(word, 1, Need::copy, 2060));
  EXPECT_EQ(serve(0, Need::atHome, 2050), 2070); // a copy's time, less the request's
  EXPECT_EQ(serve(1, Need::posted, 2060), 2060);
  EXPECT_EQ(word.freeAt, 2070);
  EXPECT_EQ(serve(1, Need::copy, 3000), 3060);
  EXPECT_EQ(serve(1, Need::atHome, 4000), 4020); // its own copy need not be fetched
}

TEST_F(CachesTest, AreSoonerByWhatARequestHasTravelled) {
  take(0, 0);
  EXPECT_EQ(caches.serve(line, 1, Need::alone, 1040, 40), 1100);
  EXPECT_EQ(line.freeAt, 1100);
}

/// One core with two hardware threads, and another one.
TEST(Caches, AreSharedByTheThreadsOfACore) {
  MulticoreCosts costs;
  costs.cores = 4;
  costs.threadsPerCore = 2;
  costs.sameCore = 7;
  costs.sameSocket = 100;
  Caches caches(costs);
  CacheLine &line = caches.at(reinterpret_cast<const void *>(0x1000));
  EXPECT_EQ(caches.coreOf(0), caches.coreOf(2));
  EXPECT_NE(caches.coreOf(0), caches.coreOf(1));
  EXPECT_EQ(caches.serve(line, 0, Need::alone, 1000, 0), 1100);
  EXPECT_EQ(caches.has(line, 2, Need::alone, 1050), 1107); // with the other thread's
  EXPECT_EQ(caches.has(line, 2, Need::alone, 1200), 1200);
  EXPECT_EQ(caches.has(line, 1, Need::copy, 1200), std::nullopt);
}

} // namespace qdadvise::sim
