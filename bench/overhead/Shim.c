/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A profiler as one would write it without a compiler's help, to compare with: preloaded, it
 * stands before pthread_mutex_lock and unlock, looks at the time around them, and adds to each
 * thread's own table of locks how often, how long waited and how long held. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

enum { capacity = 1 << 17 };

struct lock {
  const void *address;
  uint64_t acquisitions, waited, held, since;
};

static int (*nextLock)(pthread_mutex_t *);
static int (*nextUnlock)(pthread_mutex_t *);
static _Thread_local struct lock *table __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) static void findNext(void) {
  nextUnlock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_unlock");
  nextLock = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static struct lock *find(const void *address) {
  if (!table)
    table = mmap(NULL, capacity * sizeof *table, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint64_t at = ((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15u) >> 47;
  while (table[at % capacity].address && table[at % capacity].address != address)
    ++at;
  table[at % capacity].address = address;
  return &table[at % capacity];
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (!nextLock)
    findNext();
  const uint64_t from = now();
  const int result = nextLock(mutex);
  struct lock *const lock = find(mutex);
  lock->since = now();
  lock->waited += lock->since - from;
  ++lock->acquisitions;
  return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  if (!nextUnlock)
    findNext();
  struct lock *const lock = find(mutex);
  lock->held += now() - lock->since;
  return nextUnlock(mutex);
}
