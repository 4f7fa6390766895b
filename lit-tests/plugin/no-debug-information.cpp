// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines and columns come without debug information in the object.

// RUN: %clangxx -O2 -c %call_flags %s -o %t.o
// RUN: llvm-readelf --sections %t.o | FileCheck %s
// CHECK-NOT: .debug_
// CHECK: qdadvise_sites
// CHECK-NOT: .debug_

// Nor do they stay in the passes after the hooks, which they would slow down; unless
// somebody else asked for them.
// RUN: %clangxx -O2 -S -emit-llvm %call_flags %s -o - | FileCheck %s --check-prefix=IR
// RUN: %clangxx -O2 -g1 -S -emit-llvm %call_flags %s -o - | FileCheck %s --check-prefix=ASKED
// IR: call void @__qdadvise_event(
// IR-NOT: !DILocation
// ASKED: !DILocation

#include <mutex>

std::mutex lock;

int main() {
  std::lock_guard<std::mutex> guard(lock);
  return 0;
}
