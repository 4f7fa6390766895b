// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exception that leaves a section releases its lock in the cleanup. An operation
// that throws has failed, whether or not its function has something to clean up.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <cstdlib>
#include <mutex>

struct Busy {};
struct Picky {
  bool refuses;
  void lock() {
    if (refuses)
      throw Busy();
  }
  void unlock() {}
};

std::mutex lock;

__attribute__((noinline)) void leave() {
  std::lock_guard<std::mutex> guard(lock); // CHECK: attempt [[#@LINE]] lock #1
  throw Busy();                            // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
                                           // CHECK-NEXT: release {{[0-9]+}}  #1
}
__attribute__((noinline)) void take(Picky &picky) {
  picky.lock(); // CHECK-NEXT: attempt [[#TAKE:@LINE]] picky #2
                // CHECK-NEXT: fail [[#TAKE]] picky #2
  picky.unlock();
}
__attribute__((noinline)) void guard(Picky &picky) {
  std::lock_guard<Picky> guard(picky); // CHECK-NEXT: attempt [[#@LINE]] picky #2
                                       // CHECK-NEXT: fail [[#@LINE-1]] picky #2
}

int main() {
  Picky picky{true};
  try {
    leave();
  } catch (Busy) {
  }
  try {
    take(picky);
  } catch (Busy) {
  }
  try {
    guard(picky);
  } catch (Busy) {
  }
  picky.refuses = false;
  take(picky); // CHECK-NEXT: attempt [[#TAKE]] picky #2
               // CHECK-NEXT: acquire [[#TAKE]] picky #2
               // CHECK-NEXT: release [[#TAKE+2]] picky #2
}
// CHECK-NOT: {{.}}
