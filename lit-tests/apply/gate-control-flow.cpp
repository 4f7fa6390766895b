// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: lock {{ *}}std::mutex  QD lock  refused
// CHECK: control-flow: a section is left in a way that an operation cannot be (return)
// CHECK: second
// CHECK: control-flow: {{.*}}(break)
// CHECK: third
// CHECK: control-flow: {{.*}}(a label)
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
int value;
std::mutex second;
std::mutex third;
int inner(int key) {
  {
    std::lock_guard<std::mutex> guard(lock);
    if (key)
      return value;
  }
  return 0;
}
void loop() {
  for (;;) {
    std::lock_guard<std::mutex> guard(second);
    if (value)
      break;
  }
}
void jump() {
  std::lock_guard<std::mutex> guard(third);
again:
  if (++value < 3)
    goto again;
}
