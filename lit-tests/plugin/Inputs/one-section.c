// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One critical section, and what the hooks of it print.

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void work(void) {
  pthread_mutex_lock(&lock);   // CHECK: attempt [[#@LINE]] lock #1
  pthread_mutex_unlock(&lock); // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  // CHECK-NEXT: release [[#@LINE-1]] lock #1
}

int main(void) {
  work();
  return 0;
}
// CHECK-NOT: {{.}}
