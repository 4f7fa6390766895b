// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths that a thread knows already, on a stack made up here.
#include "runtime/sites/path_memory.h"

#include <gtest/gtest.h>

using namespace qdadvise::runtime;

namespace {

class Paths : public testing::Test {
protected:
  static constexpr std::uint32_t none = qdadvise::format::none;

  std::uint64_t top() const { return reinterpret_cast<std::uintptr_t>(stack); }
  /// Three frames, of 16, 8 and 24 bytes.
  StackWalk walked() const { return {{stack[0], stack[2], stack[3]}, {0, 16, 24}, 3, true}; }

  std::uint64_t stack[8] = {11, 0, 22, 33, 0, 0, 44, 0};
  PathMemory memory;
};

TEST_F(Paths, AreKnownByTheOperationTheStackAndEachReturnAddress) {
  EXPECT_EQ(memory.find(5, top()), none);
  memory.remember(5, top(), walked(), 70);
  EXPECT_EQ(memory.find(5, top()), 70u);
  EXPECT_EQ(memory.find(6, top()), none);
  EXPECT_EQ(memory.find(5, top() + 8), none);
  for (const int frame : {0, 2, 3}) {
    stack[frame] += 1;
    EXPECT_EQ(memory.find(5, top()), none) << "another path with the same stack pointer";
    stack[frame] -= 1;
  }
  stack[1] = stack[6] = 99;
  EXPECT_EQ(memory.find(5, top()), 70u) << "what else lies there does not matter";
}

TEST_F(Paths, WithOneStackPointerAreKnownSideBySide) {
  for (std::uint32_t path = 0; path < 8; ++path) {
    stack[2] = 100 + path;
    memory.remember(5, top(), walked(), 70 + path);
  }
  for (std::uint32_t path = 0; path < 8; ++path) {
    stack[2] = 100 + path;
    EXPECT_EQ(memory.find(5, top()), 70 + path);
  }
}

TEST_F(Paths, ThatCannotBeLookedAtAgainAreNotRemembered) {
  StackWalk walk = walked();
  walk.found = false;
  memory.remember(5, top(), walk, 70);
  EXPECT_EQ(memory.find(5, top()), none);
}

TEST_F(Paths, AreBoundedAndTheLatestIsKnown) {
  for (std::uint32_t site = 0; site < 10000; ++site) {
    memory.remember(site, top(), walked(), site + 1);
    ASSERT_EQ(memory.find(site, top()), site + 1);
  }
}

TEST_F(Paths, AreForgottenWithTheThreadAndTheCode) {
  memory.use(1, 0);
  memory.remember(5, top(), walked(), 70);
  memory.begin(5, 64, 70);
  memory.use(1, 0);
  EXPECT_EQ(memory.find(5, top()), 70u);
  memory.use(2, 0);
  EXPECT_EQ(memory.find(5, top()), none);
  EXPECT_EQ(memory.end(5, 64), 5u);
  memory.remember(5, top(), walked(), 70);
  memory.use(2, 1);
  EXPECT_EQ(memory.find(5, top()), none);
}

TEST_F(Paths, AnOperationEndsAsItBegan) {
  memory.begin(5, 64, 70);
  memory.begin(5, 128, 71);
  memory.begin(6, 64, 80);
  EXPECT_EQ(memory.end(5, 64), 70u);
  EXPECT_EQ(memory.end(5, 64), 5u) << "it has ended";
  EXPECT_EQ(memory.end(6, 64), 80u);
  EXPECT_EQ(memory.end(5, 128), 71u);
  EXPECT_EQ(memory.end(9, 64), 9u) << "nobody saw it begin";
}

TEST_F(Paths, OperationsLeftByAJumpGiveWay) {
  memory.begin(5, 64, 70);
  memory.begin(5, 64, 71);
  EXPECT_EQ(memory.end(5, 64), 71u) << "the newest";
  for (std::uint64_t lock = 0; lock < 1000; ++lock)
    memory.begin(7, lock, 90);
  EXPECT_EQ(memory.end(5, 64), 5u);
  EXPECT_EQ(memory.end(7, 999), 90u);
}

} // namespace
