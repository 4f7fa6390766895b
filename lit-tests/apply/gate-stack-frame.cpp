// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: stack-frame: a section depends on the function's own frame (__func__)
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
int value;
const char *take() {
  std::lock_guard<std::mutex> guard(lock);
  return __func__;
}
