// A section in an inner block; an exception that leaves one; a static lock, an object with a
// destructor of its own.
// RUN: %rewrite --kind qd %s | FileCheck %s
// CHECK: Counter::lock  std::mutex  QD lock  changed: 4 places
// CHECK: total {{ *}}std::mutex  QD lock  changed: 5 places
// CHECK: delegate-blocks.cpp:+      total.delegate([&] {
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <mutex>
#include <stdexcept>
#include <thread>

struct Counter {
  ~Counter() { value = 0; }
  void add() {
    std::lock_guard<std::mutex> guard(lock);
    ++value;
  }
  std::mutex lock;
  int value = 0;
};

static std::mutex total;
int sum;
Counter counter;

void addToSum(int by) {
  std::lock_guard<std::mutex> guard(total);
  if (by < 0)
    throw std::invalid_argument("negative");
  sum += by;
}

void work() {
  for (int i = 0; i < 1000; ++i) {
    try {
      addToSum(i % 2 ? -1 : 2);
    } catch (const std::invalid_argument &) {
      std::scoped_lock guard(total);
      sum += 0;
    }
    counter.add();
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return sum == 2000 && counter.value == 2000 ? 0 : 1;
}
