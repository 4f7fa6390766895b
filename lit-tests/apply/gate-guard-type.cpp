// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: guard-type: the type of a guard is not written out where the guard is declared ({{.*}}), and in 2 other places
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
using Guard = std::lock_guard<std::mutex>;
void alias() { Guard guard(lock); }
void deduced() { auto guard = std::unique_lock<std::mutex>(lock); }
struct Holder {
  std::lock_guard<std::mutex> guard{lock};
};
