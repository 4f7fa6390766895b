// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file system without room for the profile, or with room for the beginning of one: one line on
// standard error, nothing of a profile, and what is there stays.
//
// REQUIRES: full-filesystem, llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=address -O1 -I%S/../Inputs %s -o %t.asan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: rm -rf %t.disk && mkdir %t.disk
// RUN: unshare -rm sh %S/../Inputs/full-filesystem.sh %t.disk 0 \
// RUN:   %python %S/../Inputs/same.py %t.disk/a.qdprof %t.plain %t %t.asan 2>&1 | FileCheck %s
// RUN: unshare -rm sh %S/../Inputs/full-filesystem.sh %t.disk 4096 \
// RUN:   %python %S/../Inputs/same.py %t.disk/a.qdprof %t.plain %t %t.asan 2>&1 | FileCheck %s
//
// CHECK-COUNT-2: error: cannot write the profile '{{.*}}a.qdprof': No space left on device
// CHECK: no profile
// CHECK-NEXT: total
// CHECK-NEXT: {{^[0-9]+}} full
// CHECK-NOT: {{.}}
#include "sites.h"

static pthread_mutex_t locks[200]; // as many as make a profile of some pages
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "section()", "locks[i]", 1),
                              MUTEX_SITE(roleRelease, 12, "section()", "locks[i]", 1)};
REGISTER(sites)

static void section(int i) {
  lockAt(&sites[0], &locks[i]);
  unlockAt(&sites[1], &locks[i]);
}

int main(void) {
  for (int i = 0; i < 200; ++i)
    section(i);
  puts("done");
  return 2;
}
