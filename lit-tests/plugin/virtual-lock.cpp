// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock operation called through a virtual function.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

struct Lock {
  virtual ~Lock() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;
};
struct Flag : Lock {
  void lock() override { taken = true; }
  void unlock() override { taken = false; }
  bool taken = false;
};

__attribute__((noinline)) void work(Lock &lock) {
  lock.lock();   // CHECK: attempt [[#@LINE]] lock #1
                 // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  lock.unlock(); // CHECK-NEXT: release [[#@LINE]] lock #1
}

int main() {
  Flag flag;
  work(flag);
}
// CHECK-NOT: {{attempt|acquire|release}}
