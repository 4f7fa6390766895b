// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules of C++20, compiled in one step and in two; an inline function of a module's
// has its hooks where it is called.

// RUN: split-file %s %t
// RUN: %clang -c %trace -o %t/trace.o
// RUN: %clangxx -std=c++20 -O1 %xray_flags --precompile %t/store.cppm -o %t/store.pcm
// RUN: %clangxx -std=c++20 -O1 %xray_flags -c %t/store.pcm -o %t/store.o
// RUN: %clangxx -std=c++20 -O1 %xray_flags -fmodule-file=store=%t/store.pcm -c %t/main.cpp -o %t/main.o
// RUN: %clangxx %sleds %t/main.o %t/store.o %t/trace.o -o %t/out && %t/out | FileCheck %t/store.cppm
// RUN: %clangxx -std=c++20 -O1 %call_flags -fmodule-output=%t/store.pcm -c %t/store.cppm -o %t/store.o
// RUN: %clangxx -std=c++20 -O1 %call_flags -fmodule-file=store=%t/store.pcm -c %t/main.cpp -o %t/main.o
// RUN: %clangxx %t/main.o %t/store.o %t/trace.o -o %t/out && %t/out | FileCheck %t/store.cppm
// RUN: %clangxx -std=c++20 -O1 %patch_flags -fmodule-file=store=%t/store.pcm -c %t/main.cpp -o %t/main.o
// RUN: %clangxx %t/main.o %t/store.o %t/trace.o -o %t/out && %t/out | FileCheck %t/store.cppm

//--- store.cppm
module;
#include <mutex>
export module store;
std::mutex lock;
export void add() {
  std::lock_guard<std::mutex> guard(lock); // CHECK: attempt [[#@LINE]] lock #1
}                                          // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
export inline void addInline() {           // CHECK-NEXT: release [[#@LINE-1]]  #1
  lock.lock();                             // CHECK-NEXT: attempt [[#@LINE]] lock #1
  lock.unlock();                           // CHECK-NEXT: acquire [[#@LINE-1]] lock #1
}                                          // CHECK-NEXT: release [[#@LINE-1]] lock #1
// CHECK-NOT: {{.}}

//--- main.cpp
import store;
int main() {
  add();
  addInline();
}
