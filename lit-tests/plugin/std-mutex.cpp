// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::mutex without a guard: the operation is the call in the user's function, not
// the pthread call inside the library.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <cstdlib>
#include <mutex>

std::mutex lock;

int main() {
  lock.lock();         // CHECK: attempt [[#@LINE]] lock #1
                       // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  if (lock.try_lock()) // CHECK-NEXT: attempt [[#@LINE]] lock #1
    abort();           // CHECK-NEXT: fail [[#@LINE-1]] lock #1
  lock.unlock();       // CHECK-NEXT: release [[#@LINE]] lock #1
  if (lock.try_lock()) // CHECK-NEXT: attempt [[#@LINE]] lock #1
                       // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
    lock.unlock();     // CHECK-NEXT: release [[#@LINE]] lock #1
}
// CHECK-NOT: {{.}}
