// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is killed leaves no file under the profile's name, whether it was
// killed before or in the midst of writing; one that was written before stays whole.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs -I%source/runtime/include %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: rm -f %t.qdprof && env QDADVISE_OPTIONS=profile=%t.qdprof %python %S/Inputs/kill.py %t
// RUN: not ls %t.qdprof
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %python %S/Inputs/kill.py %t write
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK: section 10 lock a acquisitions
#include "sites.h"
#include <qdadvise/profile.h>
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

int main(int count, char **arguments) {
  (void)arguments;
  for (int i = 0;; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
    if (count > 1)
      qdadvise_write();
    if (i == 100) {
      puts("running");
      fflush(stdout);
    }
  }
}
