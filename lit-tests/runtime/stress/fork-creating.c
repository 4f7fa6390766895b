// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process whose threads come and go forks again and again: each child starts threads of its own.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.%%p.qdprof %t.plain %t | FileCheck %s
//
// CHECK-COUNT-100: section 10 lock a acquisitions 1 hold
#include "sites.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "work()", "a", 1),
                              MUTEX_SITE(roleRelease, 11, "work()", "a", 1)};
REGISTER(sites)

static int done;

static void *nothing(void *none) { return none; }

static void *create(void *none) {
  while (!__atomic_load_n(&done, __ATOMIC_RELAXED)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0)
      pthread_join(thread, NULL);
  }
  return none;
}

static void *work(void *none) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
  return none;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, create, NULL);
  int failed = 0;
  for (int i = 0; i < 100; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      pthread_t thread;
      pthread_create(&thread, NULL, work, NULL);
      pthread_join(thread, NULL);
      exit(7);
    }
    int status = 0;
    failed += waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7;
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  printf("%d children failed\n", failed);
}
