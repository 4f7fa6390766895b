// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readers against the real locks they know.
#include "runtime/hooks/lock_words.h"

#include <gtest/gtest.h>
#include <qdadvise/locks/all_locks.h>

#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

std::uint32_t self() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

std::uint32_t look(LockKind kind, const void *lock, bool shared = false) {
  const LockWordReader reader = lockWordReader(kind);
  return reader ? reader(lock, self(), shared) : 99;
}

template <typename Function> void elsewhere(Function function) { std::thread(function).join(); }

TEST(LockWords, PthreadMutexTellsMineFromSomebodyElses) {
  std::mutex mutex;
  EXPECT_EQ(look(LockKind::pthreadMutex, &mutex), 0u);
  mutex.lock();
  EXPECT_EQ(look(LockKind::pthreadMutex, &mutex), eventMine);
  elsewhere([&] { EXPECT_EQ(look(LockKind::pthreadMutex, &mutex), eventTaken); });
  mutex.unlock();
  EXPECT_EQ(look(LockKind::pthreadMutex, &mutex), 0u);
}

TEST(LockWords, PthreadSpin) {
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  EXPECT_EQ(look(LockKind::pthreadSpin, const_cast<int *>(&spin)), 0u);
  pthread_spin_lock(&spin);
  EXPECT_EQ(look(LockKind::pthreadSpin, const_cast<int *>(&spin)), eventTaken);
  pthread_spin_unlock(&spin);
  EXPECT_EQ(look(LockKind::pthreadSpin, const_cast<int *>(&spin)), 0u);
}

TEST(LockWords, ReadersDoNotFindReadersInTheirWay) {
  std::shared_mutex mutex;
  EXPECT_EQ(look(LockKind::pthreadRwlock, &mutex), 0u);
  mutex.lock_shared();
  EXPECT_EQ(look(LockKind::pthreadRwlock, &mutex, true), 0u);
  EXPECT_EQ(look(LockKind::pthreadRwlock, &mutex, false), eventTaken);
  mutex.unlock_shared();
  mutex.lock();
  EXPECT_EQ(look(LockKind::pthreadRwlock, &mutex, true), eventTaken | eventByWriter);
  EXPECT_EQ(look(LockKind::pthreadRwlock, &mutex, false), eventTaken | eventByWriter);
  mutex.unlock();
  EXPECT_EQ(look(LockKind::pthreadRwlock, &mutex, true), 0u);
  EXPECT_EQ(look(LockKind::pthreadRwlock, &mutex, false), 0u);
}

template <typename Lock> void looksTakenWhileHeld(LockKind kind) {
  Lock lock;
  EXPECT_EQ(look(kind, &lock), 0u);
  lock.lock();
  EXPECT_TRUE(look(kind, &lock) & eventTaken);
  lock.unlock();
  EXPECT_EQ(look(kind, &lock), 0u);
}

TEST(LockWords, OurOwnLocks) {
#define SHIPPED_LOCK(kind, number, name, label, lock, ...)                                         \
  looksTakenWhileHeld<qdadvise::lock>(LockKind::kind);
#include "runtime/abi/LockAlgorithms.def"
}

TEST(LockWords, OurReadersDoNotFindReadersInTheirWay) {
  mrqd_lock lock;
  lock.lock_shared();
  EXPECT_EQ(look(LockKind::mrqd, &lock, true), 0u);
  EXPECT_EQ(look(LockKind::mrqd, &lock, false), eventTaken);
  lock.unlock_shared();
  lock.lock();
  EXPECT_EQ(look(LockKind::mrqd, &lock, true), eventTaken | eventByWriter);
  EXPECT_EQ(look(LockKind::mrqd, &lock, false), eventTaken | eventByWriter);
  lock.unlock();
  EXPECT_EQ(look(LockKind::mrqd, &lock, true), 0u);
}

TEST(LockWords, AreReadOfEveryAlgorithmThatProgramsHave) {
  for (const LockAlgorithm &algorithm : lockAlgorithms)
    EXPECT_EQ(lockWordReader(algorithm.kind) != nullptr, !algorithm.isIdeal()) << algorithm.name;
}

TEST(LockWords, UnknownKindsHaveNoReader) {
  EXPECT_EQ(lockWordReader(LockKind::unknown), nullptr);
  EXPECT_EQ(lockWordReader(LockKind::ideal), nullptr);
  EXPECT_EQ(lockWordReader(static_cast<LockKind>(77)), nullptr);
}

} // namespace
