// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With enabled=never nothing is recorded or written, whatever the program and others ask for: it is
// the program as it runs when nobody looks.
//
// REQUIRES: llvm-free-tests
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %clang -O1 -I%S/Inputs -I%source/runtime/include %s -o run -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=a.qdprof:enabled=never:signal=USR1 ./run | FileCheck %s
// An earlier runtime does not know the value, and keeps to what stands before it.
// RUN: env QDADVISE_OPTIONS=enabled=0:enabled=never ./run | FileCheck %s
// RUN: env QDADVISE_OPTIONS=profile=b.qdprof:enabled=never not --crash ./run abort
// RUN: ls | count 1
// RUN: env QDADVISE_OPTIONS=profile=c.qdprof:enabled=never:enabled=1 ./run && ls c.qdprof
#include "sites.h"
#include <qdadvise/profile.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

static void sections(int count) {
  for (int i = 0; i < count; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
}

int main(int argc, char **argv) {
  (void)argv;
  sections(1000);
  qdadvise_start();
  sections(1000);
  printf("hooks %u\n", sites[0].hooksOn); // CHECK: hooks 0
  qdadvise_reset();
  qdadvise_start();
  sections(1000);
  printf("written %d\n", qdadvise_write()); // CHECK: written 0
  fflush(stdout);
  if (argc > 1)
    abort();
  return 0;
}
