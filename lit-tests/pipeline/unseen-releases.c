// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mutex that is given up where no hook is: the next acquisition tells. record and report say that
// its holding times are missing, and name nothing else that is lost.

// RUN: %clang --config=%cfgdir/profile.cfg -O2 %s -o %t
// RUN: %qdadvise record -o %t.qdprof -- %t 2>&1 | FileCheck %s --check-prefix=RECORD
// RECORD: not recorded in full: 99 acquired or released unseen{{$}}
// RUN: %qdadvise report %t.qdprof | FileCheck %s
// CHECK: note: 99 releases without their acquisition, or acquisitions without their
// CHECK-NEXT: release: holding times are missing

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int (*volatile giveUp)(pthread_mutex_t *) = pthread_mutex_unlock;
static int value;

static void *work(void *unused) {
  for (int i = 0; i < 100; ++i) {
    pthread_mutex_lock(&lock);
    ++value;
    giveUp(&lock);
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return value != 100;
}
