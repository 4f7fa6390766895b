// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks in a coroutine, around a lock held across no suspension and one held across one.

// RUN: %clangxx -std=c++20 -c %xray_flags -O0 %s -o %t.o && %clangxx %sleds %t.o %trace -o %t && %t | FileCheck %s
// RUN: %clangxx -std=c++20 -c %xray_flags -O2 %s -o %t.o && %clangxx %sleds %t.o %trace -o %t && %t | FileCheck %s
// RUN: %clangxx -std=c++20 -c %call_flags -O2 %s -o %t.o && %clangxx %t.o %trace -o %t && %t | FileCheck %s
// RUN: %clangxx -std=c++20 -c %patch_flags -O2 %s -o %t.o && %clangxx %t.o %trace -o %t && %t | FileCheck %s

#include <coroutine>
#include <exception>
#include <mutex>

std::mutex lock;

struct Task {
  struct promise_type {
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

Task work() {
  {
    std::lock_guard<std::mutex> guard(lock); // CHECK: attempt [[#@LINE]] lock #1
  }                                          // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
  co_await std::suspend_always();            // CHECK-NEXT: release [[#@LINE-1]]  #1
  lock.lock();                               // CHECK-NEXT: attempt [[#@LINE]] lock #1
  lock.unlock();                             // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
}                                            // CHECK-NEXT: release [[#@LINE-1]] lock #1

Task hold() {
  std::lock_guard<std::mutex> guard(lock); // CHECK-NEXT: attempt [[#@LINE]] lock #1
  co_await std::suspend_always();          // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
}                                          // CHECK-NEXT: release [[#@LINE]]  #1

void run(Task task) {
  task.handle.resume();
  task.handle.resume();
  task.handle.destroy();
}

int main() {
  run(work());
  run(hold());
}
// CHECK-NOT: {{.}}
