// A reader-writer lock without readers.
// RUN: %rewrite %s | FileCheck %s
// CHECK: lock  std::shared_mutex  MCS lock  changed: 2 places
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    std::unique_lock<std::shared_mutex> guard(lock);
    ++counter;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
