// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Qt's threads, over pthreads.
#pragma once
#include <pthread.h>

class QBasicMutex {
public:
  void lock() { pthread_mutex_lock(&m); }
  bool tryLock() { return pthread_mutex_trylock(&m) == 0; }
  void unlock() { pthread_mutex_unlock(&m); }

private:
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
};
class QMutex : public QBasicMutex {};
class QMutexLocker {
public:
  explicit QMutexLocker(QMutex *m) : mutex(m) { relock(); }
  ~QMutexLocker() { unlock(); }
  void unlock() {
    if (isLocked)
      mutex->unlock();
    isLocked = false;
  }
  void relock() {
    mutex->lock();
    isLocked = true;
  }

private:
  QMutex *mutex;
  bool isLocked = false;
};
class QReadWriteLock {
public:
  void lockForRead() { pthread_rwlock_rdlock(&l); }
  void lockForWrite() { pthread_rwlock_wrlock(&l); }
  void unlock() { pthread_rwlock_unlock(&l); }

private:
  pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
};
class QReadLocker {
public:
  explicit QReadLocker(QReadWriteLock *l) : lock(l) { lock->lockForRead(); }
  ~QReadLocker() { lock->unlock(); }

private:
  QReadWriteLock *lock;
};
class QWaitCondition {
public:
  bool wait(QMutex *, unsigned long = ~0ul) { return true; }
};
