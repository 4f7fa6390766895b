// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header compiled beforehand, with and without the plugin; what is inside it has hooks
// where the file that includes it is compiled with the plugin.

// RUN: split-file %s %t
// RUN: %clang -c %trace -o %t/trace.o
// RUN: %clangxx -O1 -x c++-header %t/store.h -o %t/plain.pch
// RUN: %clangxx -O1 %call_flags -x c++-header %t/store.h -o %t/instrumented.pch
// RUN: %clangxx -O1 %xray_flags -x c++-header %t/store.h -o %t/sleds.pch
// RUN: %clangxx -O1 %call_flags -include-pch %t/plain.pch %t/main.cpp %t/trace.o -o %t/out
// RUN: %t/out | FileCheck %t/store.h
// RUN: %clangxx -O1 %patch_flags -include-pch %t/plain.pch %t/main.cpp %t/trace.o -o %t/out
// RUN: %t/out | FileCheck %t/store.h
// RUN: %clangxx -O1 %call_flags -include-pch %t/instrumented.pch %t/main.cpp %t/trace.o -o %t/out
// RUN: %t/out | FileCheck %t/store.h
// RUN: %clangxx -O1 %patch_flags -include-pch %t/instrumented.pch %t/main.cpp %t/trace.o -o %t/out
// RUN: %t/out | FileCheck %t/store.h
// RUN: %clangxx -O1 %xray_flags -include-pch %t/sleds.pch %t/main.cpp %t/trace.o -o %t/out
// RUN: %t/out | FileCheck %t/store.h
// RUN: %clangxx -O1 -include-pch %t/instrumented.pch %t/main.cpp %t/trace.o -o %t/out
// RUN: %t/out | count 0

//--- store.h
#include <mutex>
struct Store {
  std::mutex lock;
  void add() {
    std::lock_guard<std::mutex> guard(lock); // CHECK: attempt [[#@LINE]] lock #1
  }                                          // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
};                                           // CHECK-NEXT: release [[#@LINE-1]]  #1
// CHECK-NOT: {{.}}

//--- main.cpp
int main() {
  Store store;
  store.add();
}
