// A mutex becomes a reader-writer lock that is locked for writing.
// RUN: %rewrite --flags=-std=c++20 --kind pthread_rwlock %s | FileCheck %s
// CHECK: lock  std::mutex  pthread rwlock  changed: 2 places
// CHECK: shared-mutex.cpp:+#include <shared_mutex>
// CHECK: shared-mutex.cpp:+std::shared_mutex lock;
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

std::mutex lock;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    std::lock_guard<std::mutex> guard(lock);
    ++counter;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
