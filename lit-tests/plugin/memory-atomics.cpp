// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `memory` tells atomic operations from others.

// RUN: %memory_cxx -O0 %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_cxx -O2 %s %memory_trace -o %t && %t | FileCheck %s

#include <atomic>
#include <mutex>

extern "C" {
struct {
  std::atomic<int> number;   // at 0
  std::atomic<char> letter;  // at 4
  std::atomic<void *> place; // at 8
} data;
}

std::mutex lock;

int main() {
  std::lock_guard<std::mutex> guard(lock);
  data.number.store(1);
  data.number.load(std::memory_order_relaxed);
  data.number.fetch_add(2);
  data.letter.exchange('a');
  void *expected = nullptr;
  data.place.compare_exchange_strong(expected, &data);
}
// CHECK: write atomic 4 at 0
// CHECK: read atomic 4 at 0
// CHECK: both atomic 4 at 0
// CHECK: both atomic 1 at 4
// CHECK: both atomic 8 at 8
// CHECK: released{{.*}}
