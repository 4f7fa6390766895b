// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: unseen-call: a section calls code that is not in sight
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
int value;
void unseen();
void take() {
  std::lock_guard<std::mutex> guard(lock);
  unseen();
}
