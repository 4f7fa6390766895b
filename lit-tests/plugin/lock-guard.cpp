// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::lock_guard: its constructor takes the lock, its implicit destructor at the end
// of the scope releases it.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <mutex>

class Cache {
public:
  void add(int n) {
    std::lock_guard<std::mutex> guard(this->lock_); // CHECK: attempt [[#@LINE]] this->lock_ #1
    sum += n;                                       // CHECK-NEXT: acquire [[#@LINE-1]] this->lock_ #1
  }                                                 // CHECK-NEXT: release [[#@LINE]]  #1
  void clear() {
    std::lock_guard guard(lock_); // CHECK-NEXT: attempt [[#@LINE]] lock_ #1
    sum = 0;                      // CHECK-NEXT: acquire [[#@LINE-1]] lock_ #1
  }                               // CHECK-NEXT: release [[#@LINE]]  #1

private:
  std::mutex lock_;
  int sum = 0;
};

int main() {
  Cache cache;
  cache.add(1);
  cache.clear();
}
// CHECK-NOT: {{.}}
