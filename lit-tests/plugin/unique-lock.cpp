// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::unique_lock: early unlock, relock, move, deferred and tried constructions. A
// destructor that owns nothing releases nothing.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <cstdlib>
#include <mutex>

std::mutex lock;

int main() {
  {
    std::unique_lock<std::mutex> guard(lock); // CHECK: attempt [[#@LINE]] lock #1
                                              // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
    guard.unlock();                           // CHECK-NEXT: release [[#@LINE]] lock #1
    guard.lock();                             // CHECK-NEXT: attempt [[#@LINE]] lock #1
                                              // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
    std::unique_lock<std::mutex> other(std::move(guard));
    if (guard.owns_lock())
      abort();
    guard = std::move(other);
  } // CHECK-NEXT: release [[#@LINE]] {{.*}}#1
  {
    std::unique_lock<std::mutex> guard(lock, std::defer_lock);
  }
  {
    std::unique_lock<std::mutex> guard(lock, std::try_to_lock); // CHECK-NEXT: attempt [[#@LINE]] lock #1
                                                                // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
    std::unique_lock<std::mutex> other(lock, std::try_to_lock); // CHECK-NEXT: attempt [[#@LINE]] lock #1
                                                                // CHECK-NEXT: fail [[#@LINE-1]] lock #1
    if (other.owns_lock() || other.try_lock())                  // CHECK-NEXT: attempt [[#@LINE]] lock #1
      abort();                                                  // CHECK-NEXT: fail [[#@LINE-1]] lock #1
  } // CHECK-NEXT: release [[#@LINE]] {{.*}}#1
}
// CHECK-NOT: {{.}}
