// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pthread read-write locks.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
  pthread_rwlock_rdlock(&lock); // CHECK: attempt [[#@LINE]] lock #1
                                // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  pthread_rwlock_unlock(&lock); // CHECK-NEXT: release [[#@LINE]] lock #1
  pthread_rwlock_wrlock(&lock); // CHECK-NEXT: attempt [[#@LINE]] lock #1
                                // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  pthread_rwlock_unlock(&lock); // CHECK-NEXT: release [[#@LINE]] lock #1
  return 0;
}
// CHECK-NOT: {{.}}
