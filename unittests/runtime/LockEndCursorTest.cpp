// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a replay has come in the log of locks that ended.
#include "runtime/replay/lock_end_cursor.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

using namespace qdadvise::runtime;

namespace {

class LockEndCursorTest : public testing::Test {
protected:
  LockEndCursorTest() { context.lockEnds = log; }
  ~LockEndCursorTest() override { munmap(log, sizeof(LockEndLog)); }

  auto note() {
    return [this](std::uint64_t address, std::uint64_t) { ended.push_back(address); };
  }

  LockEndLog *const log = LockEndLog::make();
  ReplayContext context;
  std::vector<std::uint64_t> ended;
};

TEST_F(LockEndCursorTest, BeginsAtTheEndOfTheLog) {
  log->add(0x10, nullptr);
  const LockEndCursor cursor(context);
  EXPECT_EQ(cursor.applied(), 1u);
}

TEST_F(LockEndCursorTest, AppliesWhatItHasSeenUpToAStamp) {
  LockEndCursor cursor(context);
  log->add(0x10, nullptr);
  log->add(0x20, nullptr);
  EXPECT_EQ(cursor.stamp(), ~0ull) << "it has not looked";
  cursor.look();
  EXPECT_EQ(cursor.stamp(), log->stampAt(0));
  log->add(0x30, nullptr);
  cursor.applyUntil(log->stampAt(2), note());
  EXPECT_EQ(ended, (std::vector<std::uint64_t>{0x10, 0x20}));
  EXPECT_EQ(cursor.stamp(), ~0ull);
}

TEST_F(LockEndCursorTest, AppliesTheFirstOfAll) {
  LockEndCursor cursor(context);
  log->add(0x10, nullptr);
  log->add(0x20, nullptr);
  cursor.applyFirst(1, note());
  EXPECT_EQ(ended, (std::vector<std::uint64_t>{0x10}));
  cursor.skipAll();
  EXPECT_EQ(cursor.applied(), 2u);
}

TEST(LockEndCursor, DoesNothingWithoutALog) {
  const ReplayContext context;
  LockEndCursor cursor(context);
  cursor.look();
  cursor.applyFirst(5, [](std::uint64_t, std::uint64_t) { FAIL(); });
  EXPECT_EQ(cursor.stamp(), ~0ull);
}

} // namespace
