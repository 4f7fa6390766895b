// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: unknown-use: it is used in a way that is not known
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
void take() { std::lock_guard<decltype(lock)> guard(lock); }
