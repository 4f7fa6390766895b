// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There is no memory left when the recorder needs some: the program goes on, and what was lost is
// counted. The profile is written where the limit is taken away again.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t | FileCheck %s
//
// CHECK: events {{[0-9]+}} dropped {{[1-9][0-9]*}}
// CHECK: section 10 lock a acquisitions
#include "sites.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "section()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "section()", "a", 1)};
REGISTER(sites)

static void section(void) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
}

enum { locks = 50000 };
static pthread_mutex_t many[locks];

static pthread_barrier_t begin;

static void *work(void *none) {
  pthread_barrier_wait(&begin);
  pthread_barrier_wait(&begin);
  for (int i = 0; i < locks; ++i) {
    lockAt(&sites[0], &many[i]);
    unlockAt(&sites[1], &many[i]);
  }
  return none;
}

int main(void) {
  pthread_t threads[3];
  pthread_barrier_init(&begin, NULL, 4);
  for (int i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  section();
  pthread_barrier_wait(&begin);
  struct rlimit before, none;
  getrlimit(RLIMIT_AS, &before);
  none = before;
  none.rlim_cur = 1 << 20; /* less than there is already */
  setrlimit(RLIMIT_AS, &none);
  pthread_barrier_wait(&begin);
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  setrlimit(RLIMIT_AS, &before);
  puts("done");
}
