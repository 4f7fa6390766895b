// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: waits: a section may wait
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
int value;
#include <unistd.h>
void take() {
  std::lock_guard<std::mutex> guard(lock);
  sleep(1);
}
