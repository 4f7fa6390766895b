// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mutex that a cancelled thread gives up by pthread_cleanup_push: pthread_cleanup_pop(1) releases
// it, where the macro calls pthread_mutex_unlock by its address.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>

struct Queue {
  pthread_mutex_t lock;
  int size;
};

void put(struct Queue *queue) {
  pthread_cleanup_push((void *)pthread_mutex_unlock, &queue->lock);
  pthread_mutex_lock(&queue->lock);
  queue->size++;
  pthread_cleanup_pop(1);
}

int main(void) {
  struct Queue queue = {PTHREAD_MUTEX_INITIALIZER, 0};
  put(&queue);
  put(&queue);
  return 0;
}

// CHECK: attempt [[#@LINE-12]] queue->lock #1
// CHECK-NEXT: acquire [[#@LINE-13]] queue->lock #1
// CHECK-NEXT: release [[#@LINE-12]] queue->lock #1
// CHECK-NEXT: attempt [[#@LINE-15]] queue->lock #1
// CHECK-NEXT: acquire [[#@LINE-16]] queue->lock #1
// CHECK-NEXT: release [[#@LINE-15]] queue->lock #1
// CHECK-NOT: {{.}}
