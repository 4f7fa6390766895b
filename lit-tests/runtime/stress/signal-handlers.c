// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler that locks interrupts threads that lock, in the midst of hooks, too: what cannot be
// recorded there is counted.
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
// CHECK: unmatched 0
// CHECK-DAG: section 10 lock a acquisitions
// CHECK-DAG: section 20 lock s acquisitions
#include "sites.h"
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t s;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "main()", "a", 1), MUTEX_SITE(roleRelease, 11, "main()", "a", 1),
    LOCK_SITE(roleAcquire, kindSpin, 0, 20, "handle()", "s", "pthread_spinlock_t", 2),
    LOCK_SITE(roleRelease, kindSpin, 0, 21, "handle()", "s", "pthread_spinlock_t", 2)};
REGISTER(sites)

static volatile sig_atomic_t handled;

static void handle(int signal) {
  (void)signal;
  event(&sites[2], atAttempt, (const void *)&s);
  pthread_spin_lock(&s);
  event(&sites[2], atAcquire, (const void *)&s);
  ++handled;
  event(&sites[3], atRelease, (const void *)&s);
  pthread_spin_unlock(&s);
}

static int done;
static void *disturb(void *thread) {
  while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
    pthread_kill(*(pthread_t *)thread, SIGUSR2);
    usleep(20);
  }
  return NULL;
}

int main(void) {
  pthread_t self = pthread_self(), other;
  pthread_spin_init(&s, PTHREAD_PROCESS_PRIVATE);
  signal(SIGUSR2, handle);
  pthread_create(&other, NULL, disturb, &self);
  while (handled < 2000) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
  __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  pthread_join(other, NULL);
  puts("done");
  sayEvents();
}
