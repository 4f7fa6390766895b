/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profiler as one would write it without a compiler's help, to compare with: preloaded, it
 * stands before the functions that take and release pthread's locks, looks at the time around
 * them, and adds to each thread's own table of locks how often, how long waited and how long
 * held. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

enum { capacity = 1 << 17 };

struct lock {
  const volatile void *address;
  uint64_t acquisitions, waited, held, since;
};

static _Thread_local struct lock *table __attribute__((tls_model("initial-exec")));

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static struct lock *find(const volatile void *address) {
  if (!table)
    table = mmap(NULL, capacity * sizeof *table, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint64_t at = ((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u) >> 47;
  while (table[at % capacity].address && table[at % capacity].address != address)
    ++at;
  table[at % capacity].address = address;
  return &table[at % capacity];
}

static void taken(const volatile void *address, uint64_t from) {
  struct lock *const lock = find(address);
  lock->since = now();
  lock->waited += lock->since - from;
  ++lock->acquisitions;
}

static void released(const volatile void *address) {
  struct lock *const lock = find(address);
  lock->held += now() - lock->since;
}

#define NEXT(function, type)                                                                       \
  static int (*next)(type *);                                                                      \
  if (!next)                                                                                       \
    next = (int (*)(type *))dlsym(RTLD_NEXT, #function);

#define ACQUIRES(function, type)                                                                   \
  int function(type *lock) {                                                                       \
    NEXT(function, type)                                                                           \
    const uint64_t from = now();                                                                   \
    const int error = next(lock);                                                                  \
    if (error == 0)                                                                                \
      taken(lock, from);                                                                           \
    return error;                                                                                  \
  }

#define RELEASES(function, type)                                                                   \
  int function(type *lock) {                                                                       \
    NEXT(function, type)                                                                           \
    released(lock);                                                                                \
    return next(lock);                                                                             \
  }

ACQUIRES(pthread_mutex_lock, pthread_mutex_t)
ACQUIRES(pthread_mutex_trylock, pthread_mutex_t)
RELEASES(pthread_mutex_unlock, pthread_mutex_t)
ACQUIRES(pthread_rwlock_rdlock, pthread_rwlock_t)
ACQUIRES(pthread_rwlock_tryrdlock, pthread_rwlock_t)
ACQUIRES(pthread_rwlock_wrlock, pthread_rwlock_t)
ACQUIRES(pthread_rwlock_trywrlock, pthread_rwlock_t)
RELEASES(pthread_rwlock_unlock, pthread_rwlock_t)
ACQUIRES(pthread_spin_lock, pthread_spinlock_t)
ACQUIRES(pthread_spin_trylock, pthread_spinlock_t)
RELEASES(pthread_spin_unlock, pthread_spinlock_t)
