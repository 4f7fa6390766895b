// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocking without a lock: block before, unblock after.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>
#include <semaphore.h>

static void *work(void *argument) { return argument; }

int main(void) {
  pthread_t thread;
  sem_t semaphore;
  pthread_create(&thread, 0, work, 0);
  pthread_join(thread, 0);        // CHECK: {{^}}block [[#@LINE]]
                                  // CHECK-NEXT: unblock [[#@LINE-1]]
  sem_init(&semaphore, 0, 1);
  sem_wait(&semaphore);           // CHECK-NEXT: {{^}}block [[#@LINE]]
                                  // CHECK-NEXT: unblock [[#@LINE-1]]
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, 0, 1);
  pthread_barrier_wait(&barrier); // CHECK-NEXT: {{^}}block [[#@LINE]]
                                  // CHECK-NEXT: unblock [[#@LINE-1]]
  return 0;
}
// CHECK-NOT: {{.}}
