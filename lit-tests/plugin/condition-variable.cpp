// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wait of std::condition_variable gives the guard's mutex up and takes it again.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <chrono>
#include <condition_variable>
#include <mutex>

std::mutex lock;
std::condition_variable changed;

int main() {
  std::unique_lock<std::mutex> guard(lock);                                 // CHECK: acquire [[#@LINE]] lock #1
  changed.wait_until(guard, std::chrono::system_clock::time_point()); // CHECK-NEXT: wait [[#@LINE]] {{.*}} #1
                                                                      // CHECK-NEXT: wake [[#@LINE-1]] {{.*}} #1
}                                                                     // CHECK-NEXT: release [[#@LINE]]  #1
// CHECK-NOT: {{.}}
