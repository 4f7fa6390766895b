// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// After a slice hooks are off also where it cannot be found out what they cost: several threads
// take locks, and attempts say nothing of how fast one alone would be.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt -pthread
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=2 %t | FileCheck %s
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=100 %t | FileCheck %s
#include "sites.h"
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "work()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "work()", "a", 1)};
REGISTER(sites)

/* As in instrumented code: which hooks are on is in the first record. */
enum { noHooks, allHooks, attemptHooks };
static unsigned hooksOn(void) { return __atomic_load_n(&sites[0].hooksOn, __ATOMIC_RELAXED); }

static int ended = 0;
static void *work(void *unused) {
  while (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
    if (hooksOn() != noHooks)
      __qdadvise_event(&sites[0], atAttempt, &a);
    pthread_mutex_lock(&a);
    if (hooksOn() == allHooks) {
      __qdadvise_event(&sites[0], atAcquire, &a);
      __qdadvise_event(&sites[1], atRelease, &a);
    }
    pthread_mutex_unlock(&a);
    usleep(50); // so that all have their turns in a slice
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  int turned = 0;
  for (int i = 0; i < 20000 && turned < 3; ++i) { // 20 s at most
    turned += hooksOn() == (turned % 2 == 0 ? allHooks : noHooks);
    usleep(1000);
  }
  ended = 1;
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  puts(turned == 3 ? "on, off, on" : "hooks stay as they are"); // CHECK: on, off, on
  return 0;
}
