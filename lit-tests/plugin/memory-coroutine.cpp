// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A coroutine with `memory` runs, and its accesses are told: its parts are functions when
// they are instrumented.

// RUN: %clang -c %memory_trace -o %t.o
// RUN: %memory_cxx -std=c++20 -O0 %s %t.o -o %t && %t | FileCheck %s
// RUN: %memory_cxx -std=c++20 -O2 -g %s %t.o -o %t && %t | FileCheck %s
// RUN: %memory_cxx -std=c++20 -O2 -flto -fuse-ld=lld %s %t.o -o %t && %t | FileCheck %s

#include <coroutine>
#include <mutex>

extern "C" {
struct {
  volatile int first;  // at 0
  volatile int second; // at 4
} data;
}

struct Task {
  struct promise_type {
    Task get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};

std::mutex lock;

Task work() {
  data.first = 1;
  co_await std::suspend_always();
  data.second = 2;
}

int main() {
  Task task = work();
  task.handle.resume();
  lock.lock();
  task.handle.resume();
  lock.unlock();
  task.handle.destroy();
}
// CHECK-NOT: at 0
// CHECK: write 4 at 4
// CHECK-NOT: at 0
// CHECK: released{{.*}}
