// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread is of the class that its start was announced with, be it started in the
// depths of a library; the announcement holds for one thread, and the last one counts.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s --implicit-check-not=unused
//
// CHECK: dropped 0 unmatched 0
// CHECK: class main count 1
// CHECK: class Pool::work() at test.c:40 count 2
// CHECK: class {{.*(work|thread@).*}} count 1
#include "sites.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "work()", "a", 1), MUTEX_SITE(roleRelease, 12, "work()", "a", 1),
    OTHER_SITE(roleSpawn, 40, "Pool::work()"), OTHER_SITE(roleSpawn, 50, "unused()")};
REGISTER(sites)

static void *work(void *none) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
  return none;
}

static int run(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, work, NULL) != 0 || pthread_join(thread, NULL) != 0;
}

int main(void) {
  event(&sites[3], atSpawn, NULL);
  event(&sites[2], atSpawn, NULL);
  int failed = run();
  event(&sites[2], atSpawn, NULL);
  failed |= run();
  return failed | run();
}
