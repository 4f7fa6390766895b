// A lock delegates what can be delegated. The other sections take it as before; the summary says
// why.
// RUN: %rewrite --kind qd %s | FileCheck %s
// CHECK: lock  std::mutex  QD lock  changed: {{[0-9]+}} places in {{.*}}; 1 of 3 sections delegated
// CHECK-NEXT: control-flow: {{.*}} (break)
// CHECK-NEXT: errno: a section does input or output
// CHECK-NEXT: 1 changed, 0 refused
// CHECK: lock.delegate([&] {
// CHECK-NOT: lock.delegate
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex lock;
int value;

void add() {
  std::lock_guard<std::mutex> guard(lock);
  ++value;
}
void say() {
  std::lock_guard<std::mutex> guard(lock);
  if (value < 0)
    std::puts("");
}
void loop() {
  for (;;) {
    std::lock_guard<std::mutex> guard(lock);
    if (value >= 0)
      break;
  }
}
void work() {
  for (int i = 0; i < 1000; ++i) {
    add();
    say();
    loop();
  }
}
int main() {
  std::thread other(work);
  work();
  other.join();
  return value == 2000 ? 0 : 1;
}
