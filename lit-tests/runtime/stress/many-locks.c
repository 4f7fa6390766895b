// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hundred thousand locks at once: each has its record, and all is counted.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=address -O1 -I%S/../Inputs %s -o %t.asan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t %t.asan | FileCheck %s
//
// CHECK: events 600000 dropped 0 unmatched 0 other 0 0
// CHECK: section 10 lock a acquisitions 200000 hold
#include "sites.h"
#include <stdlib.h>

enum { locks = 100000 };

static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

int main(void) {
  pthread_mutex_t *const all = calloc(locks, sizeof *all);
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < locks; ++i) {
      lockAt(&sites[0], &all[i]);
      unlockAt(&sites[1], &all[i]);
    }
  puts("done");
  sayEvents();
  free(all);
}
