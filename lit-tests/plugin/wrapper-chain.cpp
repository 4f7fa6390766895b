// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hand over hand through wrappers: the next node is locked before the last is given up, and
// each lock is taken and given up under its own address.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <mutex>

struct Node {
  std::mutex mutex;
  Node *next = nullptr;
};
static void hold(Node &node) { node.mutex.lock(); }
static void drop(Node &node) { node.mutex.unlock(); }

int main() {
  Node last, first;
  first.next = &last;
  hold(first);       // CHECK: attempt [[#@LINE]] first.mutex #[[#F:]]
                     // CHECK: acquire [[#@LINE-1]] first.mutex #[[#F]]
  hold(*first.next); // CHECK-NEXT: attempt [[#@LINE]] {{.*}} #[[#L:]]
                     // CHECK: acquire [[#@LINE-1]] {{.*}} #[[#L]]
  drop(first);       // CHECK: release {{.*}} #[[#F]]
  drop(last);        // CHECK: release {{.*}} #[[#L]]
}
