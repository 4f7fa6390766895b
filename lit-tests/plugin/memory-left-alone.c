// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `memory` leaves alone what it could break: naked functions, those that ask for it,
// resolvers of indirect functions, hooks. A return stays behind its musttail call.

// RUN: %memory_c -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %memory_c -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %memory_c -O0 -c %s -o %t.o

#include <pthread.h>

int number;

__attribute__((naked)) void naked(void) { __asm__("ret"); }
// CHECK-LABEL: define {{.*}} @naked(
// CHECK-NOT: __qdadvise
// CHECK: {{^}}}

__attribute__((disable_sanitizer_instrumentation)) void asked(void) { number = 1; }
// CHECK-LABEL: define {{.*}} @asked(
// CHECK-NOT: __qdadvise
// CHECK: {{^}}}

static void chosen(void) {}
static void (*resolve(void))(void) { return number ? chosen : 0; }
void indirect(void) __attribute__((ifunc("resolve")));

int callee(int value);
int tail(int value) {
  number = value;
  __attribute__((musttail)) return callee(value);
}
// CHECK-LABEL: define {{.*}} @tail(
// CHECK: __qdadvise_trace_block
// CHECK: [[RESULT:%.*]] = musttail call i32 @callee(
// CHECK-NEXT: ret i32 [[RESULT]]

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void section(void) { pthread_mutex_lock(&lock); }

// CHECK-LABEL: define {{.*}} @resolve(
// CHECK-NOT: __qdadvise
// CHECK: {{^}}}
