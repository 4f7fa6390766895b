// The rest of a block after a guard becomes an operation; its value is handed back. A class gets a
// destructor that waits for helpers.
// RUN: %rewrite --flags=-std=c++20 --kind qd --format 'BasedOnStyle: LLVM' %s | FileCheck %s
// CHECK: Index::lock_  std::mutex  QD lock  changed: 8 places
// CHECK: delegate-value.cpp:+  ~Index() {
// CHECK-NEXT: delegate-value.cpp:+    lock_.lock(); // until no helper is in it
// CHECK-NEXT: delegate-value.cpp:+    lock_.unlock();
// CHECK-NEXT: delegate-value.cpp:+  }
// CHECK: delegate-value.cpp:+    lock_.delegate([&] {
// CHECK: delegate-value.cpp:+    return lock_.delegate([&]() -> int * {
// CHECK: delegate-value.cpp:+    return lock_.delegate([&] {
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <mutex>
#include <thread>

class Index {
public:
  void add(int by) {
    std::lock_guard<std::mutex> guard(lock_);
    if (by == 0)
      return;
    for (int i = 0; i < by; ++i) {
      if (i == 7)
        break;
      value_ += 1; // one by one
    }
  }
  int *find(int key) {
    if (key < 0)
      return nullptr;
    std::unique_lock<std::mutex> guard(lock_);
    if (key == 0)
      return nullptr;
    else
      return &value_;
  }
  int get() const {
    const std::scoped_lock guard(lock_);
    const auto twice = [this] { return 2 * value_; };
    return twice() / 2;
  }

private:
  mutable std::mutex lock_;
  int value_ = 0;
};

Index index;

void work() {
  for (int i = 0; i < 1000; ++i) {
    index.add(i % 2);
    index.add(1);
    if (index.find(0) || index.find(-1))
      return;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return index.get() == 3000 && *index.find(1) == 3000 ? 0 : 1;
}
