// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory does not grow with the length of the run: thirty million events need no
// more than one million.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK: events 30000000 dropped 0 unmatched 0
#include "resident.h"
#include "sites.h"
#include <unistd.h>

static pthread_mutex_t locks[8];
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "locks", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "locks", 1)};
REGISTER(sites)

int main(void) {
  long before = 0;
  for (int i = 0; i < 10000000; ++i) {
    lockAt(&sites[0], &locks[i % 8]);
    unlockAt(&sites[1], &locks[i % 8]);
    if (i == 333333)
      before = resident();
  }
  const long grown = (resident() - before) * sysconf(_SC_PAGESIZE);
  return before < 0 || grown > 1 << 20;
}
