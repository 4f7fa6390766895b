// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit that does not compile gives the compiler's errors and none of ours.

// RUN: not %clangxx %xray_flags -c %s -o %t 2>&1 | FileCheck %s

#include <mutex>

struct Broken {
  void work() { std::lock_guard<std::mutex> guard(lock, nothing); }
  // CHECK-DAG: error: use of undeclared identifier 'nothing'
  std::mutex lock;
  Unknown member;
  // CHECK-DAG: error: unknown type name 'Unknown'
};
// CHECK-NOT: qdadvise:
