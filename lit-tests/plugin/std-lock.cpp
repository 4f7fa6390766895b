// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::lock and std::try_lock: each of several locks.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <cstdlib>
#include <mutex>

std::mutex first, second;

int main() {
  std::lock(first, second);               // CHECK: attempt [[#@LINE]] first #1
                                          // CHECK-NEXT: acquire [[#@LINE-1]] first #1
                                          // CHECK-NEXT: attempt [[#@LINE-2]] second #2
                                          // CHECK-NEXT: acquire [[#@LINE-3]] second #2
  first.unlock();                         // CHECK-NEXT: release [[#@LINE]] first #1
  if (std::try_lock(first, second) == -1) // CHECK-NEXT: attempt [[#@LINE]] first #1
    abort();                              // CHECK-NEXT: fail [[#@LINE-1]] first #1
  second.unlock();                        // CHECK-NEXT: release [[#@LINE]] second #2
}
// CHECK-NOT: {{.}}
