// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With slices=auto all is recorded where hooks take little of the time. Where they take much, and
// locks are known, one slice in so many is from there on. What was seen before counts no more than
// it would have in as few slices.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=auto %t seldom > %t.truth
// RUN: %python %S/Inputs/dump.py %t.qdprof > %t.dump
// RUN: %python %S/Inputs/check_auto.py %t.dump %t.truth 1 1
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=auto %t often > %t.truth
// RUN: %python %S/Inputs/dump.py %t.qdprof > %t.dump
// RUN: %python %S/Inputs/check_auto.py %t.dump %t.truth 0.02 0.5
//
// The child of a fork begins anew, with all.
// RUN: rm -f %t.child.*
// RUN: env QDADVISE_OPTIONS=profile=%t.child:slices=auto %t often fork > %t.truth
// RUN: mv %t.child.* %t.of-child
// RUN: %python %S/Inputs/dump.py %t.of-child > %t.dump
// RUN: %python %S/Inputs/check_auto.py %t.dump %t.truth 0.02 0.5
//
// There is no thread to switch: all is recorded, and nothing is said of it.
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=auto:threaded=0 %t often > %t.truth 2> %t.err
// RUN: FileCheck %s --allow-empty --check-prefix=SILENT < %t.err
// SILENT-NOT: slices
// RUN: %python %S/Inputs/dump.py %t.qdprof > %t.dump
// RUN: %python %S/Inputs/check_auto.py %t.dump %t.truth 1 1
#include "sites.h"
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "first()", "a", 1), MUTEX_SITE(roleRelease, 12, "first()", "a", 1),
    MUTEX_SITE(roleAcquire, 20, "then()", "b", 2), MUTEX_SITE(roleRelease, 22, "then()", "b", 2)};
REGISTER(sites)

/// About one lock in half a millisecond.
static long seldom(long long ns) {
  long count = 0;
  for (const long long end = nanoseconds() + ns; nanoseconds() < end; ++count) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
    usleep(500);
  }
  return count;
}

/// One in some half a microsecond.
static void often(long long ns) {
  for (const long long end = nanoseconds() + ns; nanoseconds() < end;)
    for (int i = 0; i < 100; ++i) {
      lockAt(&sites[2], &b);
      unlockAt(&sites[3], &b);
      for (volatile int steps = 0; steps < 300; ++steps)
        ;
    }
}

/// Does what the arguments say, `seldom` first.
int main(int argc, char **argv) {
  if (strcmp(argv[argc - 1], "fork") == 0) {
    often(200000000);
    const int child = fork();
    if (child != 0)
      return waitpid(child, NULL, 0) != child;
  }
  printf("%ld\n", seldom(400000000));
  if (strcmp(argv[1], "often") == 0)
    often(800000000);
}
