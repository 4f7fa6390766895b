// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::recursive_mutex, taken again by its owner.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <mutex>

std::recursive_mutex lock;

int main() {
  lock.lock();   // CHECK: attempt [[#@LINE]] lock #1
                 // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  lock.lock();   // CHECK-NEXT: attempt [[#@LINE]] lock #1
                 // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  lock.unlock(); // CHECK-NEXT: release [[#@LINE]] lock #1
  lock.unlock(); // CHECK-NEXT: release [[#@LINE]] lock #1
}
// CHECK-NOT: {{.}}
