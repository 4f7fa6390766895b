// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pthread mutex: attempt and acquire around lock, release before unlock.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>

struct Cache {
  pthread_mutex_t lock;
};

static void clear(struct Cache *cache) {
  pthread_mutex_lock(&cache->lock);
  pthread_mutex_unlock(&cache->lock);
}

int main(void) {
  struct Cache cache = {PTHREAD_MUTEX_INITIALIZER};
  clear(&cache);
  return 0;
}

// CHECK: attempt [[#@LINE-10]] cache->lock #1
// CHECK-NEXT: acquire [[#@LINE-11]] cache->lock #1
// CHECK-NEXT: release [[#@LINE-11]] cache->lock #1
// CHECK-NOT: {{.}}
