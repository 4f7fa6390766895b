// An array of locks, in a class and outside.
// RUN: %rewrite --kind spinlock %s | FileCheck %s
// CHECK: Stripes::locks  std::mutex  spinlock  changed: 2 places
// CHECK: globals         std::mutex  spinlock  changed: 2 places
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

struct Stripes {
  std::mutex locks[4];
  int counters[4] = {};
};
Stripes stripes;
std::mutex globals[2][2];
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    {
      std::lock_guard<std::mutex> guard(stripes.locks[i % 4]);
      ++stripes.counters[i % 4];
    }
    const std::lock_guard<std::mutex> guard{globals[0][1]};
    ++counter;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
