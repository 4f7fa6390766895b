// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With another allocator preloaded, jemalloc's and tcmalloc's: the recorder takes no memory from
// it.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/../Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/../Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py --preload libjemalloc.so.2 %t.qdprof %t.plain %t \
// RUN:   | FileCheck %s
// RUN: %python %S/../Inputs/same.py --preload libtcmalloc_minimal.so.4 %t.qdprof %t.plain %t \
// RUN:   | FileCheck %s
// RUN: %python %S/../Inputs/same.py --preload libjemalloc.so.2:%libdir/libqdadvise_unseen.so \
// RUN:   %t.qdprof %t.plain %t | FileCheck %s
//
// CHECK: dropped 0 unmatched 0
// CHECK: section 10 lock a acquisitions 8000 hold
#include "sites.h"
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "section()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "section()", "a", 1)};
REGISTER(sites)

static void section(void) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
}

static void *work(void *none) {
  for (int i = 0; i < 2000; ++i) {
    void *const block = malloc((size_t)i + 1);
    section();
    free(block);
  }
  return none;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 4; ++i)
    pthread_join(threads[i], NULL);
  puts("done");
  sayEvents();
}
