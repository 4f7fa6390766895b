// A guard with its type written out.
// RUN: %rewrite --flags=-std=c++20 %s | FileCheck %s
// CHECK: counterLock  std::mutex  MCS lock  changed: 2 places in lock-guard.cpp
// CHECK: 1 changed, 0 refused
// CHECK: lock-guard.cpp:-std::mutex counterLock; // protects counter
// CHECK-NEXT: lock-guard.cpp:+qdadvise::mcs_lock counterLock; // protects counter
// CHECK-NEXT: lock-guard.cpp:-    std::lock_guard<std::mutex> guard(counterLock);
// CHECK-NEXT: lock-guard.cpp:+    std::lock_guard<qdadvise::mcs_lock> guard(counterLock);
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

std::mutex counterLock; // protects counter
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    std::lock_guard<std::mutex> guard(counterLock);
    ++counter;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
