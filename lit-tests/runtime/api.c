// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program steers its own recording: reset leaves out the warming up, locks and
// threads get names.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs -I%source/runtime/include %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:enabled=0 %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK: events 60 dropped 0 unmatched 0
// CHECK: threads 1 most 1
// CHECK: class phase two count 1 most 1
// CHECK: section 10 lock special acquisitions 10
// CHECK: section 10 lock a acquisitions 10
#include "sites.h"
#include <qdadvise/profile.h>

static pthread_mutex_t a[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

static void sections(int count) {
  for (int i = 0; i < count; ++i) {
    lockAt(&sites[0], &a[i % 2]);
    unlockAt(&sites[1], &a[i % 2]);
  }
}

int main(void) {
  qdadvise_name_lock(&a[0], "special");
  sections(7);
  qdadvise_start();
  sections(1000);
  qdadvise_reset();
  qdadvise_thread_class("phase two");
  sections(20);
  qdadvise_stop();
  sections(5);
  return 0;
}
