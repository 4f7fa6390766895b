// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each run of instructions without a call has one test at its end and one cold block, in
// which the numbers are constants: instructions of the program, accesses to the function's
// own stack, and each other access. At the end of a loop's body the address is computed
// where it is told.

// RUN: %memory_c -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %memory_c -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=O0

void other(int *);

int calls(int *p) {
  *p = 1;
  other(p);
  int result = *p;
  __asm__ volatile("nop");
  return result + 1;
}
// CHECK: @__qdadvise_trace = linkonce_odr dso_local thread_local(initialexec) global ptr null, comdat
// CHECK-LABEL: define {{.*}} @calls(
// CHECK-NEXT: store i32 1
// CHECK-NEXT: [[PLACE:%.*]] = call {{.*}} @llvm.threadlocal.address.p0(ptr @__qdadvise_trace)
// CHECK-NEXT: [[TRACED:%.*]] = load ptr, ptr [[PLACE]], align 8, !nosanitize
// CHECK-NEXT: [[IS:%.*]] = icmp ne ptr [[TRACED]], null
// CHECK-NEXT: br i1 [[IS]], {{.*}}, !prof [[UNLIKELY:![0-9]+]]
// The store, and the call.
// CHECK: call preserve_mostcc void @__qdadvise_trace_block(i32 2, i32 0)
// CHECK-NEXT: call preserve_mostcc void @__qdadvise_trace_access(ptr %{{.*}}, i64 4, i32 2)
// CHECK: call void @other(
// CHECK-NEXT: load i32
// CHECK: call preserve_mostcc void @__qdadvise_trace_block(i32 2, i32 0)
// CHECK-NEXT: call preserve_mostcc void @__qdadvise_trace_access(ptr %{{.*}}, i64 4, i32 1)
// CHECK: call void asm
// An addition and the return.
// CHECK: call preserve_mostcc void @__qdadvise_trace_block(i32 2, i32 0)
// CHECK-NOT: __qdadvise_trace_access
// CHECK: ret i32

void loop(volatile int *p, long count) {
#pragma clang loop unroll(disable)
  for (long i = 0; i < count; ++i)
    p[i] = 1;
}
// CHECK-LABEL: define {{.*}} @loop(
// CHECK: [[ADDRESS:%.*]] = getelementptr
// CHECK-NEXT: store volatile i32 1, ptr [[ADDRESS]]
// CHECK: load ptr, ptr {{.*}} !nosanitize
// CHECK: call preserve_mostcc void @__qdadvise_trace_block(i32 5, i32 0)
// CHECK-NOT: [[ADDRESS]]
// CHECK: [[AGAIN:%.*]] = getelementptr
// CHECK-NEXT: call preserve_mostcc void @__qdadvise_trace_access(ptr [[AGAIN]], i64 4, i32 2)

int stack(int *p) {
  int own[4] = {1, 2, 3, 4};
  other(own);
  return own[1] + *p;
}
// Without optimisation the parameter is on the stack.
// O0-LABEL: define {{.*}} @stack(
// O0: call void @llvm.memcpy
// O0: call preserve_mostcc void @__qdadvise_trace_block(i32 {{.*}}, i32 2)
// O0-NEXT: call preserve_mostcc void @__qdadvise_trace_access(ptr @__const.stack.own, i64 16, i32 1)
// O0: call void @other(
// O0: call preserve_mostcc void @__qdadvise_trace_block(i32 {{.*}}, i32 2)
// O0-NEXT: call preserve_mostcc void @__qdadvise_trace_access(ptr {{.*}}, i64 4, i32 1)
// O0-NEXT: br
// CHECK-LABEL: define {{.*}} @stack(
// CHECK: call void @other(
// CHECK: call preserve_mostcc void @__qdadvise_trace_block(i32 {{.*}}, i32 1)
// CHECK-NEXT: call preserve_mostcc void @__qdadvise_trace_access(ptr {{.*}}, i64 4, i32 1)

// Weak: a program without the runtime links.
// CHECK: declare extern_weak preserve_mostcc void @__qdadvise_trace_block(i32, i32)
// CHECK: declare extern_weak preserve_mostcc void @__qdadvise_trace_access(ptr, i64, i32)
