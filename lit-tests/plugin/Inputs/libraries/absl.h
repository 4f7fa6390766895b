// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Abseil's synchronization library, over pthreads and without annotations.
#pragma once
#include <pthread.h>

namespace absl {
inline namespace lts_1 {
class Condition {};
class Mutex {
public:
  void Lock() { pthread_mutex_lock(&mutex); }
  bool TryLock() { return pthread_mutex_trylock(&mutex) == 0; }
  void Unlock() { pthread_mutex_unlock(&mutex); }
  void ReaderLock() { Lock(); }
  void ReaderUnlock() { Unlock(); }
  void Await(const Condition &) {}

private:
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};
class MutexLock {
public:
  explicit MutexLock(Mutex *m) : mutex(m) { mutex->Lock(); }
  ~MutexLock() { mutex->Unlock(); }

private:
  Mutex *const mutex;
};
class ReaderMutexLock {
public:
  explicit ReaderMutexLock(Mutex *m) : mutex(m) { mutex->ReaderLock(); }
  ~ReaderMutexLock() { mutex->ReaderUnlock(); }

private:
  Mutex *const mutex;
};
class CondVar {
public:
  void Wait(Mutex *) {}
};
} // namespace lts_1
} // namespace absl
