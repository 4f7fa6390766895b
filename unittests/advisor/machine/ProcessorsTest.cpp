// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/machine/Processors.h"

#include <gtest/gtest.h>

namespace qdadvise {

/// Two sockets of two cores with two hardware threads each: 0 and 2 are one core, 4 and 6 another.
const Processors small(8, 2, 2);

TEST(Processors, KnowTheirCoresAndSockets) {
  EXPECT_EQ(small.socketOf(3), 0);
  EXPECT_EQ(small.socketOf(4), 1);
  EXPECT_EQ(small.coreOf(0), small.coreOf(2));
  EXPECT_EQ(small.coreOf(1), small.coreOf(3));
  EXPECT_NE(small.coreOf(0), small.coreOf(1));
  EXPECT_NE(small.coreOf(2), small.coreOf(4));
  EXPECT_EQ(small.coreEnd(), 4);
}

TEST(Processors, AreGivenOutAsThreadsArePlaced) {
  using List = std::vector<int>;
  EXPECT_EQ(small.order(ThreadPlacement::spread), (List{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(small.order(ThreadPlacement::sockets), (List{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(small.order(ThreadPlacement::compact), (List{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(Processors, MayLackSomeInTheLastSocket) {
  const Processors odd(5, 2, 1); // three and two
  EXPECT_EQ(odd.order(ThreadPlacement::spread), (std::vector<int>{0, 3, 1, 4, 2}));
}

TEST(ThreadPlacement, HasNames) {
  for (const ThreadPlacement placement :
       {ThreadPlacement::spread, ThreadPlacement::sockets, ThreadPlacement::compact}) {
    EXPECT_EQ(placementNamed(nameOf(placement)), placement);
    EXPECT_NE(placementNames().find(nameOf(placement)), std::string_view::npos);
  }
  EXPECT_EQ(placementNamed("everywhere"), std::nullopt);
}

} // namespace qdadvise
