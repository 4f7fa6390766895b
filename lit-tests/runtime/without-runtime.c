// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without the runtime an instrumented program, and one that steers the recording, just run.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs -I%source/runtime/include %s -o %t
// RUN: rm -rf %t.empty && mkdir %t.empty && cd %t.empty && %t | FileCheck %s
// RUN: rmdir %t.empty
//
// CHECK: write: -1
#include "sites.h"
#include <qdadvise/profile.h>
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

int main(void) {
  qdadvise_start();
  qdadvise_name_lock(&a, "a");
  qdadvise_thread_class("someone");
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
  qdadvise_reset();
  qdadvise_stop();
  printf("write: %d\n", qdadvise_write());
  return 0;
}
