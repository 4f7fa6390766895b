// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks at every level of optimisation.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O1 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O1 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O3 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O3 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -Os %s -o %t && %t | FileCheck %s
// RUN: %call_c -Os %s -o %t && %t | FileCheck %s
// RUN: %xray_c -Oz %s -o %t && %t | FileCheck %s
// RUN: %call_c -Oz %s -o %t && %t | FileCheck %s
// RUN: %xray_c -Og %s -o %t && %t | FileCheck %s
// RUN: %call_c -Og %s -o %t && %t | FileCheck %s

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void work(void) {
  pthread_mutex_lock(&lock);   // CHECK: attempt [[#@LINE]] lock #1
  pthread_mutex_unlock(&lock); // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
}                              // CHECK-NEXT: release [[#@LINE-1]] lock #1

int main(void) {
  work();
  return 0;
}
// CHECK-NOT: {{.}}
