/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Site records by hand, in C, for tests of the runtime alone: what the plugin would
 * leave in an object file for `hooks=call`. */
#ifndef QDADVISE_TEST_SITES_H
#define QDADVISE_TEST_SITES_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum role {
  roleAcquire,
  roleRelease,
  roleWait,
  roleBlock,
  roleThreadStart,
  roleWrapper,
  roleLifetime,
  roleSpawn
};
enum instant {
  atAttempt,
  atAcquire,
  atRelease,
  atFail,
  atWait,
  atWake,
  atBlock,
  atUnblock,
  atRetire,
  atSpawn
};
enum flag { siteTry = 1, siteShared = 4, siteByCaller = 32 };
enum kind { kindUnknown, kindMutex, kindSpin, kindRwlock };

struct site {
  uint32_t version, role, kind, flags, line, column, ordinal, declLine, declColumn, index;
  uint64_t sectionHash;
  uint32_t facts, hooksOn;
  const char *file, *function, *expression, *lockName, *lockType, *declFile;
  const void *thunks[10];
};

/* Weak, as in instrumented code: without the runtime the program just runs. */
__attribute__((weak)) void __qdadvise_register(struct site *begin, struct site *end);
__attribute__((weak)) void __qdadvise_unregister(struct site *begin, struct site *end);
__attribute__((weak)) void __qdadvise_event(struct site *site, uint32_t instant,
                                            const void *address);

/* A `lock` declared in line `decl`, taken in line `at`. */
#define LOCK_SITE(what, ofKind, flag, at, where, lock, type, decl)                                 \
  {                                                                                                \
      .version = 4,                                                                                \
      .role = what,                                                                                \
      .kind = ofKind,                                                                              \
      .flags = flag,                                                                               \
      .line = at,                                                                                  \
      .column = 3,                                                                                 \
      .declLine = decl,                                                                            \
      .declColumn = 17,                                                                            \
      .file = "test.c",                                                                            \
      .function = where,                                                                           \
      .expression = "&" lock,                                                                      \
      .lockName = lock,                                                                            \
      .lockType = type,                                                                            \
      .declFile = "test.c",                                                                        \
  }
#define MUTEX_SITE(what, at, where, lock, decl)                                                    \
  LOCK_SITE(what, kindMutex, 0, at, where, lock, "pthread_mutex_t", decl)
#define RWLOCK_SITE(what, flag, at, where, lock, decl)                                             \
  LOCK_SITE(what, kindRwlock, flag, at, where, lock, "pthread_rwlock_t", decl)

/* A site that says nothing of a lock, in line `at` of `where`. */
#define FLAGGED_SITE(what, flag, at, where)                                                        \
  {                                                                                                \
      .version = 4,                                                                                \
      .role = what,                                                                                \
      .flags = flag,                                                                               \
      .line = at,                                                                                  \
      .column = 3,                                                                                 \
      .file = "test.c",                                                                            \
      .function = where,                                                                           \
      .expression = "",                                                                            \
      .lockName = "",                                                                              \
      .lockType = "",                                                                              \
      .declFile = "",                                                                              \
  }
#define OTHER_SITE(what, at, where) FLAGGED_SITE(what, 0, at, where)

/* The body of a wrapper, which is a site for each of its callers. */
#define BY_CALLER_SITE(at, where) FLAGGED_SITE(roleWrapper, siteByCaller, at, where)

/* How many events there were, of all threads, for same.py to compare with what was recorded. */
static long eventsTold;
static inline void sayEvents(void) {
  printf("events %ld\n", __atomic_load_n(&eventsTold, __ATOMIC_RELAXED));
}

static inline void event(struct site *site, enum instant instant, const void *address) {
  __atomic_fetch_add(&eventsTold, 1, __ATOMIC_RELAXED);
  if (__qdadvise_event)
    __qdadvise_event(site, instant, address);
}

static inline void lockAt(struct site *site, pthread_mutex_t *mutex) {
  event(site, atAttempt, mutex);
  pthread_mutex_lock(mutex);
  event(site, atAcquire, mutex);
}

static inline void unlockAt(struct site *site, pthread_mutex_t *mutex) {
  event(site, atRelease, mutex);
  pthread_mutex_unlock(mutex);
}

/* The body of a wrapper that is called from `caller` and takes the mutex at `inner`. */
static inline void lockForCaller(struct site *body, const void *caller, struct site *inner,
                                 pthread_mutex_t *mutex) {
  event(body, atAttempt, caller);
  lockAt(inner, mutex);
  event(body, atAcquire, caller);
}

#define REGISTER(sites)                                                                            \
  __attribute__((constructor)) static void registerSites(void) {                                   \
    if (__qdadvise_register)                                                                       \
      __qdadvise_register(sites, sites + sizeof sites / sizeof sites[0]);                          \
  }                                                                                                \
  __attribute__((destructor)) static void unregisterSites(void) {                                  \
    if (__qdadvise_unregister)                                                                     \
      __qdadvise_unregister(sites, sites + sizeof sites / sizeof sites[0]);                        \
  }

static inline long long nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

#endif
