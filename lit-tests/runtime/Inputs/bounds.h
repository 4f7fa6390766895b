/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For programs that know what a profile must say of them (bounds.py). */
#ifndef QDADVISE_TEST_BOUNDS_H
#define QDADVISE_TEST_BOUNDS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static inline double nowNs(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static inline void spinFor(double ns) {
  const double from = nowNs();
  while (nowNs() - from < ns) {
  }
}

/* A lock operation and the clock on both its sides. */
struct around {
  double before, after;
};

struct bounds {
  double low, high;
};
/* From one operation to another. */
static inline struct bounds between(struct around from, struct around to) {
  return (struct bounds){to.before - from.after, to.after - from.before};
}
static inline struct bounds sum(struct bounds a, struct bounds b) {
  return (struct bounds){a.low + b.low, a.high + b.high};
}
static inline struct bounds larger(struct bounds a, struct bounds b) {
  return (struct bounds){a.low > b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}
static inline void say(const char *name, struct bounds time) {
  printf("%s %.0f %.0f\n", name, time.low, time.high);
}

#endif
