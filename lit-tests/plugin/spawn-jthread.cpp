// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::jthread starts what it is given, too.

// RUN: %clangxx -std=c++20 -c %xray_flags -O0 %s -o %t.o
// RUN: %clangxx %sleds %t.o %trace -pthread -o %t && %t | FileCheck %s
// RUN: %clangxx -std=c++20 -c %call_flags -O2 %s -o %t.o
// RUN: %clangxx %t.o %trace -pthread -o %t && %t | FileCheck %s
// RUN: %clangxx -std=c++20 -c %patch_flags -O2 %s -o %t.o
// RUN: %clangxx %t.o %trace -pthread -o %t && %t | FileCheck %s

#include <thread>

void work(int) {}                // CHECK: spawn [[#@LINE]]
int main() {
  { std::jthread function(work, 1); }
  { std::jthread lambda([] {}); } // CHECK: spawn [[#@LINE]]
}
// CHECK-NOT: spawn
