// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/WrapperNames.h"

#include <gtest/gtest.h>

using namespace qdadvise;

namespace {

TEST(WrapperNames, TakesALock) {
  for (const char *name : {"item_lock", "lockWriter", "mutex_enter", "dbLock", "RWLock_rdlock",
                           "acquire_latch", "LockShared", "spin_lock_irq"})
    EXPECT_EQ(nameSays(name), NameSays::takes) << name;
  EXPECT_EQ(nameSays("enter", "Mutex"), NameSays::takes);
  EXPECT_EQ(nameSays("acquire", "SpinLock"), NameSays::takes);
}

TEST(WrapperNames, TriesALock) {
  for (const char *name : {"item_trylock", "tryLock", "try_lock_shared", "mutex_try_enter"})
    EXPECT_EQ(nameSays(name), NameSays::tries) << name;
}

TEST(WrapperNames, ReleasesALock) {
  for (const char *name : {"item_unlock", "Unlock", "leave_critical", "mutex_exit", "releaseLock"})
    EXPECT_EQ(nameSays(name), NameSays::releases) << name;
  EXPECT_EQ(nameSays("release", "Mutex"), NameSays::releases);
}

TEST(WrapperNames, WaitsForACondition) {
  for (const char *name : {"safe_cond_wait", "cond_timedwait", "condWait",
                           "mythread_cond_timedwait", "safe_cond_timed_wait", "cv_wait"})
    EXPECT_EQ(nameSays(name), NameSays::waits) << name;
  EXPECT_EQ(nameSays("Wait", "CondVar"), NameSays::waits);
  EXPECT_EQ(nameSays("wait", "Condition"), NameSays::waits);
  EXPECT_EQ(nameSays("timedWait", "ConditionVariable"), NameSays::waits);
}

TEST(WrapperNames, SaysNothing) {
  for (const char *name : {"clock",
                           "block",
                           "flock_size",
                           "lock_count",
                           "is_locked",
                           "init_lock",
                           "mutex_destroy",
                           "enter",
                           "acquire",
                           "release",
                           "wait",
                           "wait_for_lock",
                           "cond_signal",
                           "cond_init",
                           "cond_wait_init",
                           "assert_locked",
                           "blocking",
                           "",
                           "_",
                           "unlocked"})
    EXPECT_EQ(nameSays(name), NameSays::nothing) << name;
  EXPECT_EQ(nameSays("wait", "Thread"), NameSays::nothing);
  EXPECT_EQ(nameSays("wait", "Mutex"), NameSays::nothing);
  EXPECT_EQ(nameSays("signal", "CondVar"), NameSays::nothing);
  EXPECT_EQ(nameSays("acquire", "Connection"), NameSays::nothing);
}

} // namespace
