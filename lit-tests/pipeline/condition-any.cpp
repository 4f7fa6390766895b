// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network says of a wait through std::condition_variable_any that any lock would do there.

// RUN: %clangxx --config=%cfgdir/profile.cfg -std=c++17 -O1 %s -pthread -o %t
// RUN: %qdadvise record -o %t.qdprof -- %t
// RUN: %qdadvise show %t.qdprof | FileCheck %s
// CHECK-DAG: function = "take()"{{.*}}role = "wait", flags = ["any-lock"]
// CHECK-DAG: function = "takeSoon()"{{.*}}role = "wait", flags = ["timed", "any-lock"]
// CHECK-DAG: function = "takePlain()"{{.*}}role = "wait"{{[^f]*(facts|$)}}

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex any, plain;
std::condition_variable_any anyChanged;
std::condition_variable plainChanged;
int items, plainItems;

void take() {
  std::unique_lock guard(any);
  while (items == 0)
    anyChanged.wait(guard);
  --items;
}

void takeSoon() {
  std::unique_lock guard(any);
  anyChanged.wait_for(guard, std::chrono::hours(1), [] { return items != 0; });
  --items;
}

void takePlain() {
  std::unique_lock guard(plain);
  while (plainItems == 0)
    plainChanged.wait(guard);
  --plainItems;
}

void put() {
  {
    const std::lock_guard guard(any);
    ++items;
  }
  anyChanged.notify_one();
  {
    const std::lock_guard guard(plain);
    ++plainItems;
  }
  plainChanged.notify_one();
}

constexpr int turns = 1000;

int main() {
  std::thread taker([] {
    for (int i = 0; i < turns; ++i) {
      if (i % 2 == 0)
        take();
      else
        takeSoon();
      takePlain();
    }
  });
  for (int i = 0; i < turns; ++i)
    put();
  taker.join();
}
