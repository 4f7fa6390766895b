// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that takes all locks of an array in a loop returns with them: that the loop's
// condition is false at its end does not contradict what was done while it was true.

// RUN: %call_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#include <pthread.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void all(int count) {
  pthread_mutex_t *first = locks;
  for (int i = 0; i < count; ++i)
    pthread_mutex_lock(first + i);
}

static void none(int count) {
  for (int i = count; i-- > 0;)
    pthread_mutex_unlock(&locks[i]);
}

int main(void) {
  all(2);  // CHECK: attempt [[#@LINE]]
           // CHECK: acquire 18 first + i #1
           // CHECK: acquire 18 first + i #2
           // CHECK: acquire [[#@LINE-3]]
  none(2); // CHECK: release 23 locks[i] #2
           // CHECK-NEXT: release 23 locks[i] #1
  return 0;
}
// CHECK-NOT: {{.}}
