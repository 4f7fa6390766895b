// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No room for the profile, as on a full disk: one line on standard error, and no half a profile.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=address -O1 -I%S/../Inputs %s -o %t.asan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t %t.asan | FileCheck %s
//
// CHECK: no profile
#include "sites.h"
#include <sys/resource.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "section()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "section()", "a", 1)};
REGISTER(sites)

static void section(void) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
}

int main(void) {
  const struct rlimit little = {100, 100};
  for (int i = 0; i < 100; ++i)
    section();
  puts("done");
  fflush(stdout);
  return setrlimit(RLIMIT_FSIZE, &little) == 0 ? 2 : 1;
}
