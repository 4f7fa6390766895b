// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that records becomes another program, which records from zero. What the first one did
// is lost, as with any end that is no exit.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=thread -O1 -I%S/../Inputs %s -o %t.tsan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -fsanitize=address -O1 -I%S/../Inputs %s -o %t.asan \
// RUN:   -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t %t.tsan %t.asan | FileCheck %s
//
// CHECK: events 60 dropped 0 unmatched 0
// CHECK: section 10 lock a acquisitions 20 hold
#include "sites.h"
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "section()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "section()", "a", 1)};
REGISTER(sites)

static void section(void) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
}

int main(int count, char **arguments) {
  if (count == 1) {
    for (int i = 0; i < 500; ++i)
      section();
    execl(arguments[0], arguments[0], "again", (char *)NULL);
    return 1;
  }
  for (int i = 0; i < 20; ++i)
    section();
  puts(arguments[1]);
  return 5;
}
