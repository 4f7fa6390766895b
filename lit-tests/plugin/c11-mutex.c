// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C11 mutexes.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <stdlib.h>
#include <threads.h>

mtx_t lock;

int main(void) {
  mtx_init(&lock, mtx_plain);
  mtx_lock(&lock);                        // CHECK: attempt [[#@LINE]] lock #1
                                          // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  if (mtx_trylock(&lock) == thrd_success) // CHECK-NEXT: attempt [[#@LINE]] lock #1
    abort();                              // CHECK-NEXT: fail [[#@LINE-1]] lock #1
  mtx_unlock(&lock);                      // CHECK-NEXT: release [[#@LINE]] lock #1
  return 0;
}
// CHECK-NOT: {{.}}
