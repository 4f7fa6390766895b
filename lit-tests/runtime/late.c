// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that began while nothing was recorded are of their classes when recording begins.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs -I%source/runtime/include %s -o %t -L%libdir -Wl,-rpath,%libdir \
// RUN:   -lqdadvise_rt -rdynamic
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:enabled=0 %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK: threads 3 most 3
// CHECK: class work count 2 most 2
// CHECK: section 10 lock a acquisitions 2
#include "sites.h"
#include <qdadvise/profile.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "work()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "work()", "a", 1)};
REGISTER(sites)

static pthread_barrier_t begin;

void *work(void *none) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
  pthread_barrier_wait(&begin);
  pthread_barrier_wait(&begin);
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
  pthread_barrier_wait(&begin);
  return none;
}

int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&begin, NULL, 3);
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  pthread_barrier_wait(&begin);
  qdadvise_start();
  pthread_barrier_wait(&begin);
  pthread_barrier_wait(&begin);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
}
