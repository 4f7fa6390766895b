// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock that a call returns with is its caller's, by name where the caller knew, by
// return address where it did not; one that is given back inside is not.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK: dropped 0 unmatched 0
// CHECK: site 10 executed 1000 inside 3000
// CHECK-NEXT: site 20 executed 1000 inside 1000
// CHECK-NEXT: site 30 executed 0 inside 1000
// CHECK-NEXT: site 30 executed 1000 {{.*}} called from wrappers.c.tmp+0x
// CHECK-NEXT: site 30 executed 1000 {{.*}} called from wrappers.c.tmp+0x
// CHECK-NOT: site
// CHECK-DAG: section 20 lock named acquisitions 1000
// CHECK-DAG: section 30 lock a acquisitions 1000
// CHECK-DAG: section 30 lock a acquisitions 1000
// CHECK-DAG: section 10 lock a acquisitions 1000
#include "sites.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "wrapper()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "unwrapper()", "a", 1),
                              MUTEX_SITE(roleWrapper, 20, "main()", "named", 2),
                              BY_CALLER_SITE(30, "wrapper()")};
REGISTER(sites)

__attribute__((noinline)) static void wrapper(void) {
  lockForCaller(&sites[3], __builtin_return_address(0), &sites[0], &a);
}

__attribute__((noinline)) static void unwrapper(void) { unlockAt(&sites[1], &a); }

int main(void) {
  for (int i = 0; i < 1000; ++i) {
    event(&sites[2], atAttempt, &a);
    wrapper();
    event(&sites[2], atAcquire, &a);
    unwrapper();
    wrapper();
    unwrapper();
    wrapper();
    unwrapper();
    event(&sites[2], atAttempt, &a);
    lockAt(&sites[0], &a);
    unwrapper();
    event(&sites[2], atAcquire, &a);
  }
  return 0;
}
