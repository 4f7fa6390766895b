// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: lock  std::mutex  QD lock  refused
// CHECK: delegation: its critical sections would have to become operations
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
void take() { std::lock_guard<std::mutex> guard(lock); }
