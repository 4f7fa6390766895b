// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ with `memory`: guards, calls that may throw and handlers. The section of a thread is
// not that of another.

// RUN: %memory_cxx -O0 %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_cxx -O2 %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_cxx -O0 -g %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_cxx -O2 -g -flto -fuse-ld=lld %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_cxx -O2 -g -flto=thin -fuse-ld=lld %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_cxx -O1 -g -fsanitize=address %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_cxx -O1 -g -fsanitize=thread %s %memory_trace -o %t && %t | FileCheck %s

#include <mutex>
#include <thread>

extern "C" {
struct {
  volatile int first;  // at 0
  volatile int second; // at 4
  volatile int third;  // at 8
  volatile int other;  // at 12
} data;
}

std::mutex lock;

__attribute__((noinline)) void mayThrow(bool does) {
  data.second = 1;
  if (does)
    throw 1;
}

void work() { data.other = 1; }

int main() {
  for (bool does : {false, true}) {
    std::lock_guard<std::mutex> guard(lock);
    try {
      data.first = 1;
      mayThrow(does);
      data.third = 1;
    } catch (int) {
    }
  }
  // CHECK: write 4 at 0
  // CHECK-NEXT: write 4 at 4
  // CHECK-NEXT: write 4 at 8
  // CHECK: released{{.*}}
  // CHECK-NEXT: write 4 at 0
  // CHECK-NEXT: write 4 at 4
  // CHECK-NOT: at 8
  // CHECK: released{{.*}}

  std::thread thread;
  {
    std::lock_guard<std::mutex> guard(lock);
    thread = std::thread(work);
    thread.join();
    // CHECK-NOT: at 12
  }
  // CHECK: released{{.*}}
  // CHECK-NOT: {{.}}
}
