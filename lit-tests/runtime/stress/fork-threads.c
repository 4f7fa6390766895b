// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process with threads that never stop locking forks again and again: each child records on,
// from zero, with whatever lock it needs.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=thread -O1 -I%S/../Inputs %s -o %t.tsan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=address -O1 -I%S/../Inputs %s -o %t.asan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.%%p.qdprof %t.plain %t %t.tsan %t.asan | FileCheck %s
// RUN: %python %S/../Inputs/same.py --preload %libdir/libqdadvise_unseen.so %t.%%p.qdprof \
// RUN:   %t.plain %t %t.tsan %t.asan | FileCheck %s
//
// CHECK-COUNT-10: section 10 lock a acquisitions 100 hold
#include "sites.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "child()", "a", 1), MUTEX_SITE(roleRelease, 11, "child()", "a", 1),
    MUTEX_SITE(roleAcquire, 20, "work()", "b", 2), MUTEX_SITE(roleRelease, 21, "work()", "b", 2)};
REGISTER(sites)

static int done;

static void *work(void *none) {
  while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
    lockAt(&sites[2], &b);
    unlockAt(&sites[3], &b);
  }
  return none;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  int failed = 0;
  for (int i = 0; i < 10; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (int j = 0; j < 100; ++j) {
        lockAt(&sites[0], &a);
        unlockAt(&sites[1], &a);
      }
      exit(7);
    }
    int status = 0;
    failed += waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7;
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], NULL);
  printf("%d children failed\n", failed);
}
