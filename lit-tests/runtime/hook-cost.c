// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks that cost much more in a program than where the runtime measures them by themselves: here
// those of acquisitions and releases compute before they call. Recorded in slices, which measure
// what hooks cost in place, most of that is left out.
//
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/Inputs/hook_cost.py %t %t.qdprof
#include "sites.h"
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

/* As the plugin's: which hooks are on is in the first record. */
enum { allHooks = 1, attemptHooks = 2 };

static double nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static volatile unsigned sink;
static inline void compute(int steps) {
  for (int i = 0; i < steps; ++i)
    sink = sink * 3 + 1;
}

enum { stepsOfHook = 40, stepsOfSection = 100, stepsBetween = 300 };

static inline void hook(struct site *site, enum instant instant, unsigned hooks, int steps) {
  if ((__atomic_load_n(&sites[0].hooksOn, __ATOMIC_RELAXED) & hooks) == 0)
    return;
  compute(steps);
  __qdadvise_event(site, instant, &a);
}

static double cycles(int count, int on) {
  const double from = nanoseconds();
  for (int i = 0; i < count; ++i) {
    if (on)
      hook(&sites[0], atAttempt, allHooks | attemptHooks, 0);
    pthread_mutex_lock(&a);
    if (on)
      hook(&sites[0], atAcquire, allHooks, stepsOfHook);
    compute(stepsOfSection);
    if (on)
      hook(&sites[1], atRelease, allHooks, stepsOfHook);
    pthread_mutex_unlock(&a);
    compute(stepsBetween);
  }
  return (nanoseconds() - from) / count;
}

static int compareDoubles(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* How long a cycle takes without hooks, before and after it is recorded. */
int main(void) {
  double times[40];
  for (int i = 0; i < 20; ++i)
    times[i] = cycles(2000, 0);
  cycles(2000000, 1);
  for (int i = 20; i < 40; ++i)
    times[i] = cycles(2000, 0);
  qsort(times, 40, sizeof times[0], compareDoubles);
  printf("%f\n", times[20]);
  return 0;
}
