// RUN: %rewrite --refused --kind mcs --flags "-I %source/runtime/include" %s | FileCheck %s
// CHECK: delegation: it is delegated to, and the target has no operations
// CHECK: 0 changed

#include <qdadvise/locks/qd_lock.h>

qdadvise::qd_lock lock;
int value;

int main() {
  lock.delegate([] { ++value; });
}
