// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With slices=auto every other slice is recorded, and fewer as soon as hooks take much of the time.
// What was seen before counts no more than it would have in as few slices.
//
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=auto %t seldom > %t.truth
// RUN: %python %S/Inputs/dump.py %t.qdprof > %t.dump
// RUN: %python %S/Inputs/check_auto.py %t.dump %t.truth 0.2 0.7
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=auto %t often > %t.truth
// RUN: %python %S/Inputs/dump.py %t.qdprof > %t.dump
// RUN: %python %S/Inputs/check_auto.py %t.dump %t.truth 0.02 0.35
#include "sites.h"
#include <string.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "first()", "a", 1), MUTEX_SITE(roleRelease, 12, "first()", "a", 1),
    MUTEX_SITE(roleAcquire, 20, "then()", "b", 2), MUTEX_SITE(roleRelease, 22, "then()", "b", 2)};
REGISTER(sites)

int main(int argc, char **argv) {
  // About one lock in half a millisecond.
  long count = 0;
  for (const long long end = nanoseconds() + 600000000ll; nanoseconds() < end; ++count) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
    usleep(500);
  }
  printf("%ld\n", count);
  // One in some half a microsecond.
  if (strcmp(argv[argc - 1], "often") == 0)
    for (const long long end = nanoseconds() + 1200000000ll; nanoseconds() < end;)
      for (int i = 0; i < 100; ++i) {
        lockAt(&sites[2], &b);
        unlockAt(&sites[3], &b);
        for (volatile int steps = 0; steps < 300; ++steps)
          ;
      }
}
