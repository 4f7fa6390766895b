// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ten thousand short threads: all counted, none lost, and one recorder serves them
// one after the other.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK: events 60000 dropped 0 unmatched 0
// CHECK: threads 10001 most 2
// CHECK: class main count 1 most 1
// CHECK: class work(void *) at test.c:5 count 10000 most 1
// CHECK: section 10 lock a acquisitions 20000
#include "resident.h"
#include "sites.h"
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *);
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "work()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "work()", "a", 1),
                              {.version = 4,
                               .role = roleThreadStart,
                               .file = "test.c",
                               .line = 5,
                               .function = "work(void *)",
                               .expression = "",
                               .lockName = "",
                               .lockType = "",
                               .declFile = "",
                               .thunks = {work}}};
REGISTER(sites)

static void *work(void *none) {
  for (int i = 0; i < 2; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
  return none;
}

int main(void) {
  long before = 0;
  for (int i = 0; i < 10000; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0)
      return 1;
    if (i == 1000)
      before = resident();
  }
  const long grown = (resident() - before) * sysconf(_SC_PAGESIZE);
  return before < 0 || grown > 1 << 20;
}
