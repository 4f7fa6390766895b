// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process forks while another thread looks at what is loaded, for which the C library has a lock
// that stays taken in the child. Its threads must not wait for it.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.%%p.qdprof %t.plain %t | FileCheck %s
//
// CHECK-COUNT-100: section 10 lock a acquisitions 1 hold
#define _GNU_SOURCE
#include "sites.h"
#include <link.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "work()", "a", 1),
                              MUTEX_SITE(roleRelease, 11, "work()", "a", 1)};
REGISTER(sites)

static int done;

static int next(struct dl_phdr_info *info, size_t size, void *none) { return 0; }

static void *look(void *none) {
  while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
    dl_iterate_phdr(next, NULL);
  return none;
}

static void *work(void *none) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
  return none;
}

int main(void) {
  pthread_t looking;
  pthread_create(&looking, NULL, look, NULL);
  int failed = 0;
  for (int i = 0; i < 100; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60); // where it would wait for ever
      pthread_t thread;
      pthread_create(&thread, NULL, work, NULL);
      pthread_join(thread, NULL);
      _exit(7);
    }
    int status = 0;
    failed += waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7;
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
  pthread_join(looking, NULL);
  printf("%d children failed\n", failed);
}
