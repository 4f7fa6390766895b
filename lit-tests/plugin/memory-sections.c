// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With `memory` the runtime is told of each access between a lock's acquire and its release,
// in functions called there too, and of none elsewhere.

// RUN: %memory_c -O0 %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O2 %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O0 -g %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O2 -g -fno-pie -no-pie %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O0 -flto -fuse-ld=lld %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O2 -flto -fuse-ld=lld %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O2 -flto=thin -fuse-ld=lld %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O1 -save-temps=obj %s %memory_trace -o %t && %t | FileCheck %s

#include <pthread.h>

struct {
  volatile char letter;        // at 0
  volatile int number;         // at 4
  volatile long sum;           // at 8
  volatile double values[100]; // at 16
} data;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void called(int index) { data.values[index] = 1; }
__attribute__((noinline, optnone)) void wantsNoOptimisation(int index) { data.values[index] = 2; }

int main(void) {
  data.letter = 'a';
  called(3);
  pthread_mutex_lock(&lock);
  data.number = data.letter;
  data.sum += 2;
  pthread_mutex_unlock(&lock);
  // CHECK: read 1 at 0
  // CHECK-NEXT: write 4 at 4
  // CHECK-NEXT: read 8 at 8
  // CHECK-NEXT: write 8 at 8
  // CHECK-NEXT: released{{.*}}

  called(4);
  pthread_mutex_lock(&lock);
  called(5);
  wantsNoOptimisation(6);
  pthread_mutex_unlock(&lock);
  // CHECK-NEXT: write 8 at 56
  // CHECK-NEXT: write 8 at 64
  // CHECK-NEXT: released{{.*}}

  pthread_mutex_lock(&lock);
  for (int i = 0; i < 3; ++i)
    if (i != 1)
      data.values[i] = i;
  pthread_mutex_unlock(&lock);
  // CHECK-NEXT: write 8 at 16
  // CHECK-NEXT: write 8 at 32
  // CHECK-NEXT: released{{.*}}
  data.number = 7;
}
// CHECK-NOT: {{.}}
