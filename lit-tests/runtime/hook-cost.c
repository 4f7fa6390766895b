// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks that cost much more in a program than where the runtime measures them by themselves: here
// two of three compute before they call. Recorded in slices, which measure what hooks cost in
// place, that is found. (Where they cost more than eight times as much, nothing is believed.)
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/Inputs/hook_cost.py %t %t.qdprof
#include "sites.h"
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

/* As in instrumented code: which hooks are on is in the first record. */
enum { noHooks, allHooks };

static volatile unsigned sink;
static inline void compute(int steps) {
  for (int i = 0; i < steps; ++i)
    sink = sink * 3 + 1;
}

enum { stepsOfHook = 40, stepsOfSection = 100, stepsBetween = 300 };

static inline void hook(struct site *site, enum instant instant, int steps) {
  const unsigned on = __atomic_load_n(&sites[0].hooksOn, __ATOMIC_RELAXED);
  if (instant == atAttempt ? on == noHooks : on != allHooks)
    return;
  compute(steps);
  __qdadvise_event(site, instant, &a);
}

static void cycles(int count) {
  for (int i = 0; i < count; ++i) {
    hook(&sites[0], atAttempt, 0);
    pthread_mutex_lock(&a);
    hook(&sites[0], atAcquire, stepsOfHook);
    compute(stepsOfSection);
    hook(&sites[1], atRelease, stepsOfHook);
    pthread_mutex_unlock(&a);
    compute(stepsBetween);
  }
}

static int compareDoubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Prints how long a hook computes, before and after hooks are recorded, and how long a cycle of
   three hooks takes meanwhile. */
int main(void) {
  enum { half = 20, calls = 2000, rounds = 2000000 };
  double times[2 * half], cycle = 0;
  for (int i = 0; i < 2 * half; ++i) {
    long long from = nanoseconds();
    if (i == half) {
      cycles(rounds);
      cycle = (double)(nanoseconds() - from) / rounds;
      from = nanoseconds();
    }
    for (int call = 0; call < calls; ++call)
      compute(stepsOfHook);
    times[i] = (double)(nanoseconds() - from) / calls;
  }
  qsort(times, 2 * half, sizeof times[0], compareDoubles);
  printf("%f %f\n", times[half], cycle);
  return 0;
}
