// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A million locks that come and go at the same addresses, each taken by two threads:
// every one is counted, once, in bounded memory.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s --implicit-check-not='lock of'
//
// CHECK: dropped 0 unmatched 0 other 0 0
// CHECK-DAG: section 10 lock a acquisitions 1000000
// CHECK-DAG: section 20 lock a acquisitions 1750000
// CHECK: closed locks of a from 2 instances 750000 acquisitions 1500000
// CHECK-NEXT: closed locks of a from 4 instances 250000 acquisitions 1250000
#include "resident.h"
#include "sites.h"
#include <unistd.h>

enum { atOnce = 1000, rounds = 1000 };
static pthread_mutex_t locks[atOnce];
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "main()", "a", 1), MUTEX_SITE(roleRelease, 11, "main()", "a", 1),
    MUTEX_SITE(roleAcquire, 20, "work()", "a", 1), MUTEX_SITE(roleRelease, 21, "work()", "a", 1),
    MUTEX_SITE(roleLifetime, 30, "main()", "a", 1)};
REGISTER(sites)

static pthread_barrier_t handOver;

static void *work(void *none) {
  for (int round = 0; round < rounds; ++round) {
    pthread_barrier_wait(&handOver);
    for (int i = 0; i < atOnce; ++i)
      for (int times = i % 4 == 0 ? 4 : 1; times > 0; --times) {
        lockAt(&sites[2], &locks[i]);
        unlockAt(&sites[3], &locks[i]);
      }
    pthread_barrier_wait(&handOver);
  }
  return none;
}

int main(void) {
  pthread_t worker;
  pthread_barrier_init(&handOver, NULL, 2);
  if (pthread_create(&worker, NULL, work, NULL) != 0)
    return 1;
  long before = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < atOnce; ++i) {
      event(&sites[4], atRetire, &locks[i]);
      pthread_mutex_init(&locks[i], NULL);
      lockAt(&sites[0], &locks[i]);
      unlockAt(&sites[1], &locks[i]);
    }
    pthread_barrier_wait(&handOver);
    pthread_barrier_wait(&handOver);
    for (int i = 0; i < atOnce; ++i) {
      event(&sites[4], atRetire, &locks[i]);
      pthread_mutex_destroy(&locks[i]);
    }
    if (round == 20)
      before = resident();
  }
  pthread_join(worker, NULL);
  const long grown = (resident() - before) * sysconf(_SC_PAGESIZE);
  return before < 0 || grown > 1 << 20;
}
