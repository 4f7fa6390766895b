// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every C++ standard from C++14 on, and C++ without exceptions and type information.

// RUN: %clangxx -c %trace -o %t.trace.o
// RUN: %clangxx -O1 -std=c++14 %xray_flags %s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx -O1 -std=c++17 %xray_flags %s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx -O1 -std=c++20 %xray_flags %s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx -O1 -std=c++23 %xray_flags %s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx -O1 -std=c++2c %xray_flags %s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx -O1 -std=gnu++17 %call_flags %s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx -O1 -std=gnu++17 %patch_flags %s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx -O1 -fno-exceptions -fno-rtti %xray_flags %s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx -O1 -fno-exceptions -fno-rtti %call_flags %s %t.trace.o -o %t && %t | FileCheck %s
// RUN: %clangxx -O1 -fno-exceptions -fno-rtti %patch_flags %s %t.trace.o -o %t && %t | FileCheck %s

#include <mutex>

std::mutex lock;

int main() {
  std::lock_guard<std::mutex> guard(lock); // CHECK: attempt [[#@LINE]] lock #1
  return 0;                                // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
}                                          // CHECK-NEXT: release [[#@LINE]]  #1
// CHECK-NOT: {{.}}
