// RUN: %rewrite --refused --lock lock --kind qd %s | FileCheck %s
// CHECK: lock {{ *}}std::mutex  QD lock  refused
// CHECK: inner-lock: a section takes another lock
// CHECK: 1 refused

#include <mutex>

std::mutex lock;
int value;
std::mutex inner;
void takeInner() { std::lock_guard<std::mutex> guard(inner); }
void take() {
  std::lock_guard<std::mutex> guard(lock);
  takeInner();
}
