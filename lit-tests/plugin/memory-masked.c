// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A masked load is an access for each lane, of no bytes where the mask is off.

// RUN: %memory_c -O3 -mavx2 -ffast-math -S -emit-llvm %s -o - | FileCheck %s

float sum(const float *values, const int *wanted, long count) {
  float result = 0;
  for (long i = 0; i < count; ++i)
    if (wanted[i])
      result += values[i];
  return result;
}
// CHECK: call {{.*}}@llvm.masked.load.v8f32
// CHECK: call preserve_mostcc void @__qdadvise_trace_block
// CHECK: [[ON:%.*]] = extractelement <8 x i1> {{.*}}, i64 0
// CHECK: [[BYTES:%.*]] = select i1 [[ON]], i64 4, i64 0
// CHECK: call preserve_mostcc void @__qdadvise_trace_access(ptr {{.*}}, i64 [[BYTES]], i32 1)
