// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an editor says of a changed lock.
#include "lsp/LockChange.h"

#include <gtest/gtest.h>

namespace qdadvise {
namespace {

TEST(LockChange, IsSaidWithoutTheTable) {
  EXPECT_EQ(messageOf("lock          today       becomes\n"
                      "Index::lock_  std::mutex  QD lock  changed: 6 places in kvstore.cpp\n"
                      "1 changed, 0 refused\n"
                      "To build it, by hand: -I PREFIX/include\n"),
            "Index::lock_: std::mutex → QD lock, changed: 6 places in kvstore.cpp\n"
            "To build it, by hand: -I PREFIX/include");
}

TEST(LockChange, HasALineForEachLockAndNoTypeBehindAPointer) {
  EXPECT_EQ(messageOf("lock       today            becomes\n"
                      "first                       spinlock  changed: 4 places in 2 files\n"
                      "S::second  pthread_mutex_t  spinlock  changed: 5 places in a.c\n"
                      "2 changed, 0 refused\n"),
            "first: spinlock, changed: 4 places in 2 files\n"
            "S::second: pthread_mutex_t → spinlock, changed: 5 places in a.c");
}

TEST(LockChange, SaysWhatIsInTheWay) {
  EXPECT_EQ(messageOf("lock  today       becomes   \n"
                      "m     std::mutex  MCS lock  refused: timed\n"
                      "  x.cpp:7: timed: try_lock_for\n"
                      "0 changed, 1 refused (timed 1)\n"),
            "m: std::mutex → MCS lock, refused: timed\nx.cpp:7: timed: try_lock_for");
}

} // namespace
} // namespace qdadvise
