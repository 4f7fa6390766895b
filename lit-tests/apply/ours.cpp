// A lock of ours becomes another.
// RUN: %rewrite --kind spinlock %s | FileCheck %s
// CHECK: lock  qdadvise::mcs_lock  spinlock  changed: 2 places
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <qdadvise/locks/mcs_lock.h>
#include <thread>

qdadvise::mcs_lock lock;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    std::lock_guard<qdadvise::mcs_lock> guard(lock);
    ++counter;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
