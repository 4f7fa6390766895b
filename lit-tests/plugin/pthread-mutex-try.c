// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A try that succeeds acquires, one that fails fails; so does a timed lock that
// runs out, and one that succeeds.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  struct timespec past = {0, 0};
  if (pthread_mutex_trylock(&lock) != 0) // CHECK: attempt [[#@LINE]] lock #1
    abort();                             // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  if (pthread_mutex_trylock(&lock) == 0) // CHECK-NEXT: attempt [[#@LINE]] lock #1
    abort();                             // CHECK-NEXT: fail [[#@LINE-1]] lock #1
  if (pthread_mutex_timedlock(&lock, &past) == 0) // CHECK-NEXT: attempt [[#@LINE]] lock #1
    abort();                                      // CHECK-NEXT: fail [[#@LINE-1]] lock #1
  pthread_mutex_unlock(&lock);                    // CHECK-NEXT: release [[#@LINE]] lock #1
  if (pthread_mutex_timedlock(&lock, &past) != 0) // CHECK-NEXT: attempt [[#@LINE]] lock #1
    abort();                                      // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  pthread_mutex_unlock(&lock);                    // CHECK-NEXT: release [[#@LINE]] lock #1
  return 0;
}
// CHECK-NOT: {{.}}
