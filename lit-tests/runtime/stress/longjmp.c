// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jumps lead out of sections, out of attempts to take a lock, and past frames with both.
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
// CHECK: dropped 0 unmatched 0
// CHECK-DAG: section 10 lock a acquisitions 2000 hold
// CHECK-DAG: site 20 executed 0 inside
#include "sites.h"
#include <setjmp.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "take()", "a", 1),
                              MUTEX_SITE(roleRelease, 11, "main()", "a", 1),
                              MUTEX_SITE(roleAcquire, 20, "fail()", "b", 2)};
REGISTER(sites)

static jmp_buf out;

__attribute__((noinline)) static void fail(int depth) {
  event(&sites[2], atAttempt, &b); /* and is never done */
  if (depth == 0)
    longjmp(out, 1);
  fail(depth - 1);
  __asm__ volatile("");
}

__attribute__((noinline)) static void take(int depth) {
  lockAt(&sites[0], &a);
  fail(depth);
}

int main(void) {
  for (volatile int i = 0; i < 2000; ++i) {
    if (setjmp(out) == 0)
      take(i % 5);
    unlockAt(&sites[1], &a);
  }
  puts("done");
  sayEvents();
}
