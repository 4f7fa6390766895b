// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler that locks interrupts a thread that sleeps, on a stack as small as the C library says
// is enough: its sections are the thread's own, and the sleep goes on.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t | FileCheck %s
//
// CHECK: dropped 0 unmatched 0
// CHECK: section 10 lock a acquisitions 2000 hold
#include "sites.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "handle()", "a", 1),
                              MUTEX_SITE(roleRelease, 11, "handle()", "a", 1),
                              OTHER_SITE(roleBlock, 20, "main()")};
REGISTER(sites)

static volatile sig_atomic_t handled;

static void handle(int signal) {
  (void)signal;
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
  ++handled;
}

int main(void) {
  enum { size = 8192 };
  const stack_t small = {.ss_sp = malloc(size), .ss_size = size};
  sigaltstack(&small, NULL);
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR2, &action, NULL);
  sigset_t usual, blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  sigprocmask(SIG_BLOCK, &blocked, &usual);
  while (handled < 2000) {
    raise(SIGUSR2);
    event(&sites[2], atBlock, NULL);
    sigsuspend(&usual); /* it comes in here and nowhere else */
    event(&sites[2], atUnblock, NULL);
  }
  sayEvents();
}
