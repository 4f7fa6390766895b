// The lines that change are formatted where there is a .clang-format, and no others.
// RUN: %rewrite --format 'BasedOnStyle: LLVM' %s | FileCheck %s
// CHECK: theOnlyLockOfThisProgram  std::mutex  MCS lock  changed: 2 places
// CHECK-NOT: counter  ;
// CHECK: format.cpp:+    std::lock_guard<qdadvise::mcs_lock> aGuardWithALongName{
// CHECK-NEXT: format.cpp:+        theOnlyLockOfThisProgram};
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <mutex>
#include <thread>

std::mutex theOnlyLockOfThisProgram;
int counter  ;

void work() {
  for (int i = 0; i < 1000; ++i) {
    std::lock_guard<std::mutex> aGuardWithALongName{theOnlyLockOfThisProgram};
    ++counter  ;
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
