// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that wants no optimisation is instrumented like any other.

// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((optnone, noinline)) int main(void) {
  pthread_mutex_lock(&lock);          // CHECK: attempt [[#@LINE]] lock #1
                                      // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  return pthread_mutex_unlock(&lock); // CHECK-NEXT: release [[#@LINE]] lock #1
}
// CHECK-NOT: {{.}}
