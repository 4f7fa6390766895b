// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of the user's own, however they come by lock() and unlock(): by private
// inheritance, from a template's base, through aliases; and what is none.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

#include <mutex>

class Private : private std::mutex {
public:
  using std::mutex::lock;
  using std::mutex::unlock;
};

template <typename Derived> struct Lockable {
  void lock() { static_cast<Derived *>(this)->set(1); }
  void unlock() { static_cast<Derived *>(this)->set(0); }
};
struct Flag : Lockable<Flag> {
  __attribute__((noinline)) void set(int value) { taken = value; }
  int taken = 0;
};
typedef Flag FlagAlias;

struct Both : Private, Flag {
  using Flag::lock;
  using Flag::unlock;
};

struct Table {
  struct Row {};
  __attribute__((noinline)) Row lock(int) { return {}; }
  void unlock() {}
};

Private a;
FlagAlias b;
Both c;
Table d;

int main() {
  // CHECK: attempt [[#@LINE+2]] a #[[A:]]
  // CHECK-NEXT: acquire [[#@LINE+1]] a #[[A]]
  a.lock();
  // CHECK-NEXT: release [[#@LINE+1]] a #[[A]]
  a.unlock();
  // CHECK-NEXT: attempt [[#@LINE+2]] b #[[B:]]
  // CHECK-NEXT: acquire [[#@LINE+1]] b #[[B]]
  b.lock();
  // CHECK-NEXT: release [[#@LINE+1]] b #[[B]]
  b.unlock();
  // CHECK-NEXT: attempt [[#@LINE+2]] c #[[C:]]
  // CHECK-NEXT: acquire [[#@LINE+1]] c #[[C]]
  c.lock();
  // CHECK-NEXT: release [[#@LINE+1]] c #[[C]]
  c.unlock();
  d.lock(1);
  d.unlock();
}
// CHECK-NOT: {{attempt|acquire|release}}
