// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: lock {{ *}}std::mutex  QD lock  refused
// CHECK: section-shape: a section is not the rest of a block after its guard
// CHECK: second
// CHECK: section-shape: a section is not the rest of a block after its guard
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
int value;
std::mutex second;
void take() {
  lock.lock();
  lock.unlock();
  std::unique_lock<std::mutex> guard(second);
  ++value;
  guard.unlock();
}
