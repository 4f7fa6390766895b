// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child of vfork runs in its parent's memory and thread until it becomes another program.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=address -O1 -I%S/../Inputs %s -o %t.asan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t %t.asan | FileCheck %s
// RUN: %python %S/../Inputs/same.py --preload %libdir/libqdadvise_unseen.so %t.qdprof \
// RUN:   %t.plain %t %t.asan | FileCheck %s
//
// CHECK: dropped 0 unmatched 0
// CHECK: threads 1 most 1
// CHECK: section 10 lock a acquisitions 101 hold
#include "sites.h"
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "section()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "section()", "a", 1)};
REGISTER(sites)

static void section(void) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
}

int main(void) {
  for (int i = 0; i < 50; ++i)
    section();
  const pid_t child = vfork();
  if (child == 0) {
    section();
    execl("/bin/sh", "sh", "-c", "exit 4", (char *)NULL);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (int i = 0; i < 50; ++i)
    section();
  printf("%d\n", WEXITSTATUS(status));
  sayEvents();
}
