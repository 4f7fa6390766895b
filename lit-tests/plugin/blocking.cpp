// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places of the standard library where a thread waits for another or for time: blocked,
// not computing.

// RUN: %clangxx %xray_flags -std=c++20 -O0 -c %s -o %t.o
// RUN: %xray_cxx %t.o -o %t && %t | FileCheck %s
// RUN: %clangxx %call_flags -std=c++20 -O2 -c %s -o %t.o
// RUN: %call_cxx %t.o -o %t && %t | FileCheck %s

#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <semaphore>
#include <thread>
#include <unistd.h>

int main() {
  std::promise<int> promise;
  promise.set_value(1);
  std::future<int> future = promise.get_future();
  // CHECK: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  future.wait();
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  future.get();
  std::atomic<int> word = 1;
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  word.wait(0);
  std::atomic_flag flag;
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  flag.wait(true);
  std::latch latch(1);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  latch.arrive_and_wait();
  std::barrier<> barrier(1);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  barrier.arrive_and_wait();
  std::counting_semaphore<2> semaphore(1);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  semaphore.acquire();
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  std::this_thread::sleep_for(std::chrono::nanoseconds(1));
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  usleep(1);
}
// CHECK-NOT: {{.}}
