// A guard whose type the compiler deduces needs no change.
// RUN: %rewrite --kind spinlock %s | FileCheck %s
// CHECK: lock  std::mutex  spinlock  changed: 1 place in guard-deduced.cpp
// CHECK: guard-deduced.cpp:+#include <qdadvise/locks/spinlock.h>
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

std::mutex lock;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    std::scoped_lock guard(lock);
    ++counter;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
