// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that nobody joins lock on while the process exits and the profile is written.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=address -O1 -I%S/../Inputs %s -o %t.asan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t %t.asan | FileCheck %s
//
// CHECK: unmatched 0
// CHECK: threads 5 most 5
// CHECK: section 10 lock a acquisitions
#include "sites.h"
#include <sched.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "section()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "section()", "a", 1)};
REGISTER(sites)

static void section(void) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
}

static int running;

static void *work(void *none) {
  __atomic_fetch_add(&running, 1, __ATOMIC_RELAXED);
  for (;;)
    section();
  return none;
}

int main(void) {
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_detach(thread);
  }
  while (__atomic_load_n(&running, __ATOMIC_RELAXED) != 4)
    sched_yield();
  for (int i = 0; i < 1000; ++i)
    section();
  puts("main is over");
  return 6;
}
