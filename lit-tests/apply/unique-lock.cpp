// A unique_lock that is unlocked and locked again; a deferred one; a try.
// RUN: %rewrite --flags=-std=c++20 --kind ticket %s | FileCheck %s
// CHECK: Counter::lock_  std::mutex  ticket lock  changed: 4 places in unique-lock.cpp
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

class Counter {
public:
  void add() {
    std::unique_lock<std::mutex> guard(lock_);
    ++value_;
    guard.unlock();
    guard.lock();
    value_ += guard.owns_lock() ? 0 : 1;
  }
  int get() {
    std::unique_lock<std::mutex> guard(lock_, std::defer_lock);
    guard.lock();
    return value_;
  }
  bool tryGet(int &value) {
    std::unique_lock<std::mutex> guard{lock_, std::try_to_lock};
    if (!guard)
      return false;
    value = value_;
    return true;
  }

private:
  mutable std::mutex lock_;
  int value_ = 0;
};

Counter counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    counter.add();
    int value = 0;
    counter.tryGet(value);
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter.get() == 2000 ? 0 : 1;
}
