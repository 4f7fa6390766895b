// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::timed_mutex: a timed lock that runs out fails.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

std::timed_mutex lock;

int main() {
  if (!lock.try_lock_for(std::chrono::hours(1)))         // CHECK: attempt [[#@LINE]] lock #1
    abort();                                             // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  std::thread([] {
    if (lock.try_lock_until(std::chrono::system_clock::time_point())) // CHECK: attempt [[#@LINE]] lock #1
      abort();                                           // CHECK: fail [[#@LINE-1]] lock #1
  }).join();
  lock.unlock();                                         // CHECK: release [[#@LINE]] lock #1
}
