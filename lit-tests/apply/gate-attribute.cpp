// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: attribute: an attribute for thread-safety analysis names it
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
int counter __attribute__((guarded_by(lock)));
void take() { std::lock_guard<std::mutex> guard(lock); }
