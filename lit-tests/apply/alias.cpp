// A lock and a guard's argument by another name of the type.
// RUN: %rewrite %s | FileCheck %s
// CHECK: lock  std::mutex  MCS lock  changed: 2 places
// CHECK: alias.cpp:+qdadvise::mcs_lock lock;
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

using Lock = std::mutex;
Lock lock;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    std::lock_guard<Lock> guard(lock);
    ++counter;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
