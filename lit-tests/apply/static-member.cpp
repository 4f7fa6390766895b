// A static member is declared twice; a local static has a type by its full name.
// RUN: %rewrite %s | FileCheck %s
// CHECK: Table::lock    std::mutex  MCS lock  changed: 3 places
// CHECK: count()::lock  std::mutex  MCS lock  changed: 2 places
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

struct Table {
  static std::mutex lock;
  static int value;
};
std::mutex Table::lock;
int Table::value;
int counter;

void count() {
  static ::std::mutex lock;
  std::lock_guard<std::mutex> guard(lock);
  ++counter;
}

void work() {
  for (int i = 0; i < 1000; ++i) {
    count();
    std::lock_guard<std::mutex> guard(Table::lock);
    ++Table::value;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return Table::value == 2000 ? 0 : 1;
}
