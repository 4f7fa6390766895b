// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without an argument and a configuration the plugin changes no byte of the object.

// RUN: %clangxx -O2 -c %s -o %t.without.o
// RUN: %clangxx -O2 -c %plugin_flag %s -o %t.with.o
// RUN: cmp %t.without.o %t.with.o
// RUN: %clangxx -O0 -g -c %s -o %t.without.o
// RUN: %clangxx -O0 -g -c %plugin_flag %s -o %t.with.o
// RUN: cmp %t.without.o %t.with.o

#include <mutex>

std::mutex lock;

int main() {
  std::lock_guard<std::mutex> guard(lock);
  return 0;
}
