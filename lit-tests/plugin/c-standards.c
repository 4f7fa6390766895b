// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every C standard.
//
// RUN: %clang -c -O1 -std=c89 %xray_flags %s -o %t.o && %clang %sleds %t.o %trace -o %t && %t | FileCheck %s
// RUN: %clang -c -O1 -std=gnu89 %call_flags %s -o %t.o && %clang %sleds %t.o %trace -o %t && %t | FileCheck %s
// RUN: %clang -c -O1 -std=c99 %xray_flags %s -o %t.o && %clang %sleds %t.o %trace -o %t && %t | FileCheck %s
// RUN: %clang -c -O1 -std=c11 %xray_flags %s -o %t.o && %clang %sleds %t.o %trace -o %t && %t | FileCheck %s
// RUN: %clang -c -O1 -std=c17 %xray_flags %s -o %t.o && %clang %sleds %t.o %trace -o %t && %t | FileCheck %s
// RUN: %clang -c -O1 -std=c23 %xray_flags %s -o %t.o && %clang %sleds %t.o %trace -o %t && %t | FileCheck %s
// RUN: %clang -c -O1 -std=gnu23 %call_flags %s -o %t.o && %clang %sleds %t.o %trace -o %t && %t | FileCheck %s

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void work(void) {
  pthread_mutex_lock(&lock);   // CHECK: attempt [[#@LINE]] lock #1
  pthread_mutex_unlock(&lock); // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
}                              // CHECK-NEXT: release [[#@LINE-1]] lock #1

int main(void) {
  work();
  return 0;
}
// CHECK-NOT: {{.}}
