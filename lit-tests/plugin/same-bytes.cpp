// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same source gives the same bytes (for caches of compilers), and a file without a
// lock has the bytes it has without the plugin.

// RUN: %clangxx -O2 -g -c %xray_flags -DLOCK %s -o %t.one.o
// RUN: %clangxx -O2 -g -c %xray_flags -DLOCK %s -o %t.two.o
// RUN: cmp %t.one.o %t.two.o

// RUN: %clangxx -O2 -g -c %patch_flags -DLOCK %s -o %t.one.o
// RUN: %clangxx -O2 -g -c %patch_flags -DLOCK %s -o %t.two.o
// RUN: cmp %t.one.o %t.two.o

// RUN: %clangxx -O2 -c %sleds %s -o %t.plain.o && %clangxx -O2 -c %xray_flags %s -o %t.o
// RUN: cmp %t.plain.o %t.o
// RUN: %clangxx -O2 -c %s -o %t.plain.o && %clangxx -O2 -c %call_flags %s -o %t.o
// RUN: cmp %t.plain.o %t.o
// RUN: %clangxx -O2 -c %s -o %t.plain.o && %clangxx -O2 -c %patch_flags %s -o %t.o
// RUN: cmp %t.plain.o %t.o
// RUN: %clangxx -O0 -c %s -o %t.plain.o && %clangxx -O0 -c %call_flags %s -o %t.o
// RUN: cmp %t.plain.o %t.o
// RUN: %clangxx -O2 -g -c %s -o %t.plain.o && %clangxx -O2 -g -c %call_flags %s -o %t.o
// RUN: cmp %t.plain.o %t.o
// RUN: %clang -O2 -g -x c -c %s -o %t.plain.o && %clang -O2 -g -x c -c %call_flags %s -o %t.o
// RUN: cmp %t.plain.o %t.o

#ifdef LOCK
#include <mutex>
std::mutex lock;
std::unique_lock<std::mutex> take() { return std::unique_lock<std::mutex>(lock); }
void hold() { std::lock_guard<std::mutex> guard(lock); }
#endif

#ifdef __cplusplus
struct Shout {
  ~Shout();
};
template <class T> int twice(T t) { return 2 * t(); }
int call(int (*f)()) {
  Shout later;
  return twice([=] { return f() + 1; });
}
#else
int call(int (*f)(void)) { return f() + 1; }
#endif
