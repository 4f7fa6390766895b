// lock(), try_lock() and unlock() are the same for every class.
// RUN: %rewrite --kind clh %s | FileCheck %s
// CHECK: lock  std::mutex  CLH lock  changed: 1 place in members.cpp
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

static std::mutex lock;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    if (!lock.try_lock())
      lock.lock();
    ++counter;
    lock.unlock();
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
