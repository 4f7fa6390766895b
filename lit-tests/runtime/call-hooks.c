// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of a C program, recorded through direct calls; it links no C++ library.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
// RUN: ldd %t | FileCheck %s --check-prefix=LIBRARIES
//
// CHECK: flags 6
// CHECK-NEXT: events 3750 dropped 0 unmatched 0 other 0 0
// CHECK-NEXT: threads 1 most 1
// CHECK: class main count 1 most 1
// CHECK-NOT: class
// CHECK: site 10 executed 1000
// CHECK: site 20 executed 250
// CHECK: site 30 executed 0
// CHECK: section 10 lock a acquisitions 1000 hold count 1000
// CHECK: section 20 lock b acquisitions 250 hold count 250
// LIBRARIES: libqdadvise_rt
// LIBRARIES-NOT: libstdc++
#include "sites.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "main()", "a", 1), MUTEX_SITE(roleRelease, 12, "main()", "a", 1),
    MUTEX_SITE(roleAcquire, 20, "main()", "b", 2), MUTEX_SITE(roleRelease, 22, "main()", "b", 2),
    MUTEX_SITE(roleAcquire, 30, "never()", "b", 2)};
REGISTER(sites)

int main(void) {
  for (int i = 0; i < 1000; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
    if (i % 4 == 0) {
      lockAt(&sites[2], &b);
      unlockAt(&sites[3], &b);
    }
  }
  return 0;
}
