// RUN: %rewrite --refused --kind adaptive_mutex %s | FileCheck %s
// CHECK: lock  std::mutex  adaptive pthread mutex  refused
// CHECK: no-form: the target has no form that can stand for a lock of this type (adaptive pthread mutex)
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
void take() { std::lock_guard<std::mutex> guard(lock); }
