// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/WrapperNames.h"

#include <gtest/gtest.h>

using namespace qdadvise;

namespace {

TEST(WrapperNames, TakesALock) {
  for (const char *name : {"item_lock", "lockWriter", "mutex_enter", "dbLock", "RWLock_rdlock",
                           "acquire_latch", "LockShared", "spin_lock_irq"})
    EXPECT_EQ(meaningOfName(name), NameMeaning::takes) << name;
  EXPECT_EQ(meaningOfName("enter", "Mutex"), NameMeaning::takes);
  EXPECT_EQ(meaningOfName("acquire", "SpinLock"), NameMeaning::takes);
}

TEST(WrapperNames, TriesALock) {
  for (const char *name : {"item_trylock", "tryLock", "try_lock_shared", "mutex_try_enter"})
    EXPECT_EQ(meaningOfName(name), NameMeaning::tries) << name;
}

TEST(WrapperNames, ReleasesALock) {
  for (const char *name : {"item_unlock", "Unlock", "leave_critical", "mutex_exit", "releaseLock"})
    EXPECT_EQ(meaningOfName(name), NameMeaning::releases) << name;
  EXPECT_EQ(meaningOfName("release", "Mutex"), NameMeaning::releases);
}

TEST(WrapperNames, WaitsForACondition) {
  for (const char *name : {"safe_cond_wait", "cond_timedwait", "condWait",
                           "mythread_cond_timedwait", "safe_cond_timed_wait", "cv_wait"})
    EXPECT_EQ(meaningOfName(name), NameMeaning::waits) << name;
  EXPECT_EQ(meaningOfName("Wait", "CondVar"), NameMeaning::waits);
  EXPECT_EQ(meaningOfName("wait", "Condition"), NameMeaning::waits);
  EXPECT_EQ(meaningOfName("timedWait", "ConditionVariable"), NameMeaning::waits);
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
    EXPECT_EQ(meaningOfName(name), NameMeaning::nothing) << name;
  EXPECT_EQ(meaningOfName("wait", "Thread"), NameMeaning::nothing);
  EXPECT_EQ(meaningOfName("wait", "Mutex"), NameMeaning::nothing);
  EXPECT_EQ(meaningOfName("signal", "CondVar"), NameMeaning::nothing);
  EXPECT_EQ(meaningOfName("acquire", "Connection"), NameMeaning::nothing);
}

} // namespace
