// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that has taken all pthread keys: nobody sees its threads end, so they are not
// recorded. Their events are counted as dropped, and the first thread's are recorded.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt -lpthread
// RUN: rm -f %t.qdprof
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t 2>&1 | FileCheck --check-prefix=SAID %s
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// SAID-COUNT-1: qdadvise: warning: the program has used up its pthread keys; threads that begin now are not recorded
// SAID-NOT: warning
// CHECK: events 300 dropped 60 unmatched 0
// CHECK: section 10 lock a acquisitions 100
#include "sites.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

// Before the runtime comes to take one.
static void takeAllKeys(void) {
  pthread_key_t key;
  while (pthread_key_create(&key, 0) == 0)
    ;
}
__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = takeAllKeys;

static void sections(int count) {
  for (int i = 0; i < count; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
}

static void *run(void *unused) {
  sections(10);
  return unused;
}

int main(void) {
  sections(100);
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
  }
}
