// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads are cancelled while they wait with a lock in hand, and one with a cancellation pending
// writes the profile: all locks are given back, the recorder's own, too.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=thread -O1 -I%S/../Inputs %s -o %t.tsan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=address -O1 -I%S/../Inputs %s -o %t.asan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t %t.tsan %t.asan | FileCheck %s
// RUN: %python %S/../Inputs/same.py --preload %libdir/libqdadvise_unseen.so %t.qdprof \
// RUN:   %t.plain %t %t.tsan %t.asan | FileCheck %s
//
// CHECK: dropped 0 unmatched 0
// CHECK: section {{10|20}} lock a acquisitions
// CHECK: section {{10|20}} lock a acquisitions
#include "sites.h"
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "work()", "a", 1),
                              MUTEX_SITE(roleWait, 20, "work()", "a", 1),
                              MUTEX_SITE(roleRelease, 30, "giveBack()", "a", 1)};
REGISTER(sites)
__attribute__((weak)) int __qdadvise_write(void);

static int waiting;

/* Cancellation leaves the wait with the lock taken again. */
static void giveBack(void *none) {
  (void)none;
  event(&sites[1], atWake, &a);
  unlockAt(&sites[2], &a);
}

static void *work(void *none) {
  lockAt(&sites[0], &a);
  __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
  pthread_cleanup_push(giveBack, NULL);
  event(&sites[1], atWait, &a);
  for (;;)
    pthread_cond_wait(&never, &a);
  pthread_cleanup_pop(1);
  return none;
}

static void *writeWhenCancelled(void *none) {
  pthread_cancel(pthread_self());
  if (__qdadvise_write)
    __qdadvise_write();
  pthread_testcancel();
  return none;
}

int main(void) {
  int cancelled = 0;
  for (int round = 0; round < 20; ++round) {
    pthread_t threads[4];
    void *result = NULL;
    __atomic_store_n(&waiting, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < 4; ++i)
      pthread_create(&threads[i], NULL, work, NULL);
    while (__atomic_load_n(&waiting, __ATOMIC_RELAXED) != 4)
      usleep(100);
    for (int i = 0; i < 4; ++i)
      pthread_cancel(threads[i]);
    for (int i = 0; i < 4; ++i) {
      pthread_join(threads[i], &result);
      cancelled += result == PTHREAD_CANCELED;
    }
    pthread_create(&threads[0], NULL, writeWhenCancelled, NULL);
    pthread_join(threads[0], &result);
    cancelled += result == PTHREAD_CANCELED;
  }
  printf("%d\n", cancelled);
  sayEvents();
}
