// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The source is compiled in two steps that leave a file between them: each has the hooks,
// once, whatever the second step knows of the plugin. (-save-temps, as
// -disable-llvm-passes, runs no pipeline in the step that sees the source.)

// RUN: %clang -c %trace -o %t.trace.o

// Preprocessed source, from a file and from standard input.
// RUN: %clang %xray_flags -E %s -o %t.i
// RUN: %clang -O1 %xray_flags %t.i %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clang -O1 %xray_flags -c -x c - -o %t.o < %t.i
// RUN: %clang %sleds %t.o %t.trace.o -o %t && %t | FileCheck %s

// Bitcode and text, read with and without the plugin.
// RUN: %clang -O1 %xray_flags -c -emit-llvm %s -o %t.bc
// RUN: %clang -O2 %xray_flags %t.bc %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clang -O2 %sleds %t.bc %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clang -O1 %call_flags -S -emit-llvm %s -o %t.ll
// RUN: %clang -O2 %call_flags %t.ll %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clang -O2 %call_flags -Xclang -disable-llvm-passes -c -emit-llvm %s -o %t.bc
// RUN: %clang -O2 %call_flags %t.bc %t.trace.o -o %t && %t | FileCheck %s

// Assembler code.
// RUN: %clang -O1 %call_flags -S %s -o %t.s
// RUN: %clang %call_flags %t.s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clang -O1 %xray_flags -fno-integrated-as %s %t.trace.o -o %t && %t | FileCheck %s

// All of them.
// RUN: rm -rf %t.temps && mkdir %t.temps
// RUN: %clang -O1 %xray_flags -save-temps=obj %s %t.trace.o -o %t.temps/out && %t.temps/out | FileCheck %s
// RUN: %clang -O1 %call_flags -save-temps=obj %s %t.trace.o -o %t.temps/out && %t.temps/out | FileCheck %s

// A syntax tree.
// RUN: %clang %call_flags -emit-ast %s -o %t.ast
// RUN: %clang -O1 %call_flags %t.ast %t.trace.o -o %t && %t | FileCheck %s

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
