// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One command with many inputs, arguments from a file, output that is not an object, and
// dependencies as without the plugin. Nothing is printed.

// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang -c %trace -o trace.o
// RUN: echo "int other(void) { return 0; }" > other.c
// RUN: echo ".globl third" > third.s
// RUN: %clang -c %call_flags %s other.c third.s > messages 2>&1
// RUN: %clang many-inputs.o other.o third.o trace.o -o out && ./out | FileCheck %s
// RUN: echo "%call_flags -O1 %s trace.o -o again" > arguments
// RUN: %clang @arguments >> messages 2>&1 && ./again | FileCheck %s
// RUN: %clang %call_flags -fsyntax-only %s >> messages 2>&1
// RUN: %clang -MD -MF plain.d -c %s -o many.o
// RUN: %clang %call_flags -MD -MF instrumented.d -c %s -o many.o >> messages 2>&1
// RUN: cmp plain.d instrumented.d
// RUN: %clang -M %s -MT many.o -o plain.d && %clang %call_flags -M %s -MT many.o -o instrumented.d
// RUN: cmp plain.d instrumented.d
// RUN: count 0 < messages

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
