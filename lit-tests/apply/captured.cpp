// A local lock that a lambda captures.
// RUN: %rewrite %s | FileCheck %s
// CHECK: main()::lock  std::mutex  MCS lock  changed: 2 places
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

int main() {
  std::mutex lock;
  int counter = 0;
  const auto work = [&lock, &counter] {
    for (int i = 0; i < 1000; ++i) {
      std::lock_guard<std::mutex> guard(lock);
      ++counter;
    }
  };
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
