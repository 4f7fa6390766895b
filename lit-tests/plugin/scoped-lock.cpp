// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::scoped_lock of no, one and two mutexes: each lock is acquired and released.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <mutex>

std::mutex first, second;

int main() {
  std::scoped_lock none;
  {
    std::scoped_lock guard(first);         // CHECK: attempt [[#@LINE]] first #1
  }                                        // CHECK-NEXT: acquire [[#@LINE-1]] first #1
                                           // CHECK-NEXT: release [[#@LINE-1]] {{.*}}#1
  {
    std::scoped_lock guard(first, second); // CHECK-NEXT: attempt [[#@LINE]] first #1
                                           // CHECK-NEXT: acquire [[#@LINE-1]] first #1
                                           // CHECK-NEXT: attempt [[#@LINE-2]] second #2
                                           // CHECK-NEXT: acquire [[#@LINE-3]] second #2
  }                                        // CHECK-DAG: release [[#@LINE]] {{.*}}#1
                                           // CHECK-DAG: release [[#@LINE-1]] {{.*}}#2
}
// CHECK-NOT: {{.}}
