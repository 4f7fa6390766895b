// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock taken before main() is seen: sites are registered before the program's own
// constructors run, and after its destructors.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <mutex>

std::mutex lock;

struct Early {
  Early() { take(); }
  ~Early() { take(); }
  void take() { std::lock_guard<std::mutex> guard(lock); }
  // CHECK: attempt [[#TAKE:@LINE-1]] lock #1
  // CHECK-NEXT: acquire [[#TAKE]] lock #1
  // CHECK-NEXT: release [[#TAKE]]  #1
  // CHECK-NEXT: attempt [[#TAKE]] lock #1
  // CHECK-NEXT: acquire [[#TAKE]] lock #1
  // CHECK-NEXT: release [[#TAKE]]  #1
  // CHECK-NOT: {{.}}
} early;

int main() {}
