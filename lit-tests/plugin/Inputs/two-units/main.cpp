// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The units share an inline function and a global lock, and each has a function
// of the same name of its own at the same place.
#include "store.h"

#include <cstdio>

std::mutex global;

static void bump() { global.lock(), global.unlock(); }

int main() {
  Store store;
  const int sum = store.next() + fromOther(store);
  bump();
  std::printf("sum %d\n", sum);
}

// CHECK: registered [[#SITES]]
// CHECK-NOT: registered
// CHECK: attempt 12 this->lock #1
// CHECK-NEXT: acquire 12 this->lock #1
// CHECK-NEXT: release 14  #1
// CHECK-NEXT: attempt 12 this->lock #1
// CHECK-NEXT: acquire 12 this->lock #1
// CHECK-NEXT: release 14  #1
// CHECK-NEXT: attempt 12 global #2
// CHECK-NEXT: acquire 12 global #2
// CHECK-NEXT: release 12 global #2
// CHECK-NEXT: other
// CHECK-NEXT: attempt 12 global #2
// CHECK-NEXT: acquire 12 global #2
// CHECK-NEXT: release 12 global #2
// CHECK-NEXT: sum 3
// CHECK-NEXT: unregistered [[#SITES]]
// CHECK-NOT: {{.}}
