// scoped_lock of two locks, and std::lock with adopted guards.
// RUN: %rewrite %s | FileCheck %s
// CHECK: first   std::mutex  MCS lock  changed: 3 places
// CHECK: second  std::mutex  MCS lock  changed: 3 places
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

std::mutex first;
std::mutex second;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    if (i % 2) {
      std::scoped_lock<std::mutex, std::mutex> guard(first, second);
      ++counter;
    } else {
      std::lock(second, first);
      std::lock_guard<std::mutex> one(first, std::adopt_lock);
      std::lock_guard<std::mutex> other(second, std::adopt_lock);
      ++counter;
    }
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
