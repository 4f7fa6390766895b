// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pthread spin locks, with a try.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>
#include <stdlib.h>

pthread_spinlock_t lock;

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&lock);             // CHECK: attempt [[#@LINE]] lock #1
                                        // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  if (pthread_spin_trylock(&lock) == 0) // CHECK-NEXT: attempt [[#@LINE]] lock #1
    abort();                            // CHECK-NEXT: fail [[#@LINE-1]] lock #1
  pthread_spin_unlock(&lock);           // CHECK-NEXT: release [[#@LINE]] lock #1
  if (pthread_spin_trylock(&lock) != 0) // CHECK-NEXT: attempt [[#@LINE]] lock #1
    abort();                            // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  pthread_spin_unlock(&lock);           // CHECK-NEXT: release [[#@LINE]] lock #1
  return 0;
}
// CHECK-NOT: {{.}}
