// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Folly's locks, over pthreads.
#pragma once
#include <pthread.h>

namespace folly {
template <bool readerPriority> class SharedMutexImpl {
public:
  void lock() { pthread_rwlock_wrlock(&l); }
  void unlock() { pthread_rwlock_unlock(&l); }
  void lock_shared() { pthread_rwlock_rdlock(&l); }
  void unlock_shared() { pthread_rwlock_unlock(&l); }
  void lock_upgrade() { lock(); }
  void unlock_upgrade() { unlock(); }
  class ReadHolder {
  public:
    explicit ReadHolder(const SharedMutexImpl &m) : mutex(const_cast<SharedMutexImpl *>(&m)) {
      mutex->lock_shared();
    }
    ~ReadHolder() { mutex->unlock_shared(); }

  private:
    SharedMutexImpl *mutex;
  };

private:
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
};
using SharedMutex = SharedMutexImpl<false>;
} // namespace folly
