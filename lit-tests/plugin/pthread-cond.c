// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A condition wait gives the mutex up and takes it again, whatever it returns.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>
#include <time.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

int main(void) {
  struct timespec past = {0, 0};
  pthread_mutex_lock(&lock);                       // CHECK: acquire [[#@LINE]] lock #1
  pthread_cond_timedwait(&changed, &lock, &past);  // CHECK-NEXT: wait [[#@LINE]] lock #1
                                                   // CHECK-NEXT: wake [[#@LINE-1]] lock #1
  pthread_mutex_unlock(&lock);                     // CHECK-NEXT: release [[#@LINE]] lock #1
  return 0;
}
// CHECK-NOT: {{.}}
