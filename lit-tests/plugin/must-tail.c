// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tail call that must stay one leaves no room behind it for hooks: it is left alone,
// and what it calls has its own.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int take(pthread_mutex_t *mutex) {
  __attribute__((musttail)) return pthread_mutex_lock(mutex);
}

static int give(pthread_mutex_t *mutex) {
  __attribute__((musttail)) return pthread_mutex_unlock(mutex); // CHECK: {{^}}release [[#@LINE]] mutex #1
}

int main(void) { return take(&lock) || give(&lock); }
// CHECK-NOT: {{.}}
