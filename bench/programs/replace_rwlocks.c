// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to preload that replaces a program's pthread rwlocks and nothing else. It is built with
// -DMUTEX or -DSPINLOCK; with it, readers exclude each other, too.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#if defined(MUTEX)

typedef pthread_mutex_t Lock; // what is all zero is an unlocked one
static int lockIt(Lock *lock) { return pthread_mutex_lock(lock); }
static int tryIt(Lock *lock) { return pthread_mutex_trylock(lock); }
static int unlockIt(Lock *lock) { return pthread_mutex_unlock(lock); }

#elif defined(SPINLOCK)

#include <errno.h>

typedef atomic_int Lock;
static int tryIt(Lock *lock) {
  return atomic_load_explicit(lock, memory_order_relaxed) ||
                 atomic_exchange_explicit(lock, 1, memory_order_acquire)
             ? EBUSY
             : 0;
}
static int lockIt(Lock *lock) {
  for (int tries = 0; tryIt(lock); ++tries)
    if (tries < 128)
      __builtin_ia32_pause();
    else
      sched_yield();
  return 0;
}
static int unlockIt(Lock *lock) {
  atomic_store_explicit(lock, 0, memory_order_release);
  return 0;
}

#else
#error "say which lock: -DMUTEX or -DSPINLOCK"
#endif

_Static_assert(sizeof(Lock) <= sizeof(pthread_rwlock_t), "it takes the rwlock's place");

int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes) {
  (void)attributes;
  memset(lock, 0, sizeof *lock);
  return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t *lock) {
  (void)lock;
  return 0;
}
int pthread_rwlock_rdlock(pthread_rwlock_t *lock) { return lockIt((Lock *)lock); }
int pthread_rwlock_wrlock(pthread_rwlock_t *lock) { return lockIt((Lock *)lock); }
int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) { return tryIt((Lock *)lock); }
int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) { return tryIt((Lock *)lock); }
int pthread_rwlock_unlock(pthread_rwlock_t *lock) { return unlockIt((Lock *)lock); }
