// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: guard-used: a guard of it is moved, returned or handed to a function
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
#include <utility>
std::unique_lock<std::mutex> kept;
void keep() {
  std::unique_lock<std::mutex> guard(lock);
  kept = std::move(guard);
}
