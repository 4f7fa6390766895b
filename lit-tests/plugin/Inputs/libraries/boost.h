// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Boost.Thread, over pthreads.
#pragma once
#include <pthread.h>

namespace boost {
struct defer_lock_t {};
struct try_to_lock_t {};
template <typename M> class unique_lock {
public:
  explicit unique_lock(M &m) : mutex(&m) { lock(); }
  unique_lock(M &m, defer_lock_t) : mutex(&m) {}
  unique_lock(M &m, try_to_lock_t) : mutex(&m) { isLocked = mutex->try_lock(); }
  ~unique_lock() {
    if (isLocked)
      mutex->unlock();
  }
  void lock() {
    mutex->lock();
    isLocked = true;
  }
  void unlock() {
    mutex->unlock();
    isLocked = false;
  }

private:
  M *mutex;
  bool isLocked = false;
};
class mutex {
public:
  typedef unique_lock<mutex> scoped_lock;
  void lock() { pthread_mutex_lock(&m); }
  bool try_lock() { return pthread_mutex_trylock(&m) == 0; }
  void unlock() { pthread_mutex_unlock(&m); }

private:
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
};
template <typename M> class lock_guard {
public:
  explicit lock_guard(M &m) : mutex(m) { mutex.lock(); }
  ~lock_guard() { mutex.unlock(); }

private:
  M &mutex;
};
class condition_variable {
public:
  void wait(unique_lock<mutex> &) {}
};
} // namespace boost
