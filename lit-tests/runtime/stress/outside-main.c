// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks are taken before main and after exit begins. Only what comes before the C library is ready
// is lost, and counted.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=thread -O1 -I%S/../Inputs %s -o %t.tsan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=address -O1 -I%S/../Inputs %s -o %t.asan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t %t.tsan %t.asan | FileCheck %s
//
// CHECK: events 18 dropped 3 unmatched 0
// CHECK-COUNT-2: section 10 lock a acquisitions
#include "sites.h"
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "section()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "section()", "a", 1)};
REGISTER(sites)

static void section(void) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
}

static void early(void) { section(); }
__attribute__((section(".preinit_array"), used)) static void (*preinit)(void) = early;
__attribute__((constructor)) static void construct(void) { section(); }
__attribute__((destructor(101))) static void destructFirst(void) { section(); }
__attribute__((destructor)) static void destruct(void) { section(); }
static void *work(void *none) {
  section();
  return none;
}
static void atTheEnd(void) {
  pthread_t thread;
  section();
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  puts("end");
}

int main(void) {
  atexit(atTheEnd);
  section();
  puts("main");
  exit(3);
}
