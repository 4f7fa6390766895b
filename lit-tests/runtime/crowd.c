// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sixteen threads, however few cores there are, crowd at a mutex, a spin lock and a lock for
// readers and writers: every acquisition is counted, once.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK: dropped 0 unmatched 0
// CHECK-DAG: site 10 executed 160000 inside 0 failed 0
// CHECK-DAG: site 20 executed 160000 inside 0 failed 0
// CHECK-DAG: site 30 executed 160000 inside 0 failed 0
// CHECK-DAG: site 40 executed 160000 inside 0 failed 0
// CHECK-DAG: section 10 lock m acquisitions 160000
// CHECK-DAG: section 20 lock s acquisitions 160000
// CHECK-DAG: section 30 lock r acquisitions 160000
// CHECK-DAG: section 40 lock r acquisitions 160000
// CHECK-DAG: lock of m acquisitions 160000
// CHECK-DAG: lock of s acquisitions 160000
// CHECK-DAG: lock of r acquisitions 320000
//
#include "sites.h"

enum { threads = 16, rounds = 10000 };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t s;
static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "work()", "m", 1),
    MUTEX_SITE(roleRelease, 11, "work()", "m", 1),
    LOCK_SITE(roleAcquire, kindSpin, 0, 20, "work()", "s", "pthread_spinlock_t", 2),
    LOCK_SITE(roleRelease, kindSpin, 0, 21, "work()", "s", "pthread_spinlock_t", 2),
    RWLOCK_SITE(roleAcquire, siteShared, 30, "work()", "r", 3),
    RWLOCK_SITE(roleRelease, 0, 31, "work()", "r", 3),
    RWLOCK_SITE(roleAcquire, 0, 40, "work()", "r", 3),
    RWLOCK_SITE(roleRelease, 0, 41, "work()", "r", 3)};
REGISTER(sites)

#define SECTION(at, lock, take, give)                                                              \
  event(&sites[at], atAttempt, (const void *)(lock));                                              \
  take(lock);                                                                                      \
  event(&sites[at], atAcquire, (const void *)(lock));                                              \
  event(&sites[at + 1], atRelease, (const void *)(lock));                                          \
  give(lock)

static void *work(void *none) {
  for (int i = 0; i < rounds; ++i) {
    SECTION(0, &m, pthread_mutex_lock, pthread_mutex_unlock);
    SECTION(2, &s, pthread_spin_lock, pthread_spin_unlock);
    SECTION(4, &r, pthread_rwlock_rdlock, pthread_rwlock_unlock);
    SECTION(6, &r, pthread_rwlock_wrlock, pthread_rwlock_unlock);
  }
  return none;
}

int main(void) {
  pthread_t thread[threads];
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
  for (int i = 0; i < threads; ++i)
    pthread_create(&thread[i], NULL, work, NULL);
  for (int i = 0; i < threads; ++i)
    pthread_join(thread[i], NULL);
}
