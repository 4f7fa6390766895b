// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// [[lock_api]] of .qdadvise.toml: functions, types, guards and what is no lock; found
// through typedefs, templates, inline namespaces, bases and `using`.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %xray_cxx -O0 main.cpp -o main && ./main | FileCheck main.cpp
// RUN: %call_cxx -O2 main.cpp -o main && ./main | FileCheck main.cpp
// RUN: %patch_cxx -O2 main.cpp -o main && ./main | FileCheck main.cpp
// RUN: %call_cxx %plugin_arg-config=%t/none.toml main.cpp -o main && ./main | FileCheck main.cpp --check-prefix=NONE

// The configuration is part of what the object depends on.
// RUN: %clangxx %call_flags -MD -MF main.d -c main.cpp -o main.o
// RUN: FileCheck main.cpp --check-prefix=DEPENDS --input-file=main.d

// Without arguments no configuration changes a byte.
// RUN: %clangxx -O2 -c main.cpp -o without.o
// RUN: %clangxx -O2 -c %plugin_flag main.cpp -o with.o
// RUN: cmp without.o with.o

//--- .qdadvise.toml
[[lock_api]]
name = "my spin"
acquire = ["my_lock", { function = "my::take", argument = 1 }]
try_acquire = [{ function = "my_trylock", success = "zero" }]
release = ["my_unlock", "my::give"]
wait = ["my_wait"]
block = ["my_sleep"]
lifetime = ["my_init"]

[[lock_api]]
type = ["my::Mutex", "my::Table"]
acquire = ["Lock"]
try_acquire = ["TryLock"]
acquire_shared = ["ReadLock"]
release = ["Unlock"]
guards = ["my::Guard", { type = "my::Pick", acquire = [{ member = "pick", argument = 0 }], release = ["drop"] }]

[[lock_api]]
ignore = ["Door", "pthread_mutex_lock"]
//--- none.toml
# Nothing is said.
//--- main.cpp
#include <pthread.h>

__attribute__((noinline)) void note(int &taken, int value) { taken = value; }

extern "C" {
void my_init(int *lock) { note(*lock, 0); }
void my_lock(int *lock) { note(*lock, 1); }
int my_trylock(int *lock) { return *lock ? 16 : (*lock = 1, 0); }
void my_unlock(int *lock) { note(*lock, 0); }
void my_wait(int *) {}
void my_sleep(int) {}
}
#define MY_LOCK(l) my_lock(&(l))

namespace my {
inline namespace v1 {
void take(int, int *lock) { note(*lock, 1); }
template <typename Lock> void give(Lock *lock) { note(*lock, 0); }

struct Base {
  void ReadLock() { note(taken, 1); }
  int taken = 0;
};
struct Plain : private Base {
  using Base::ReadLock;
  void Lock() { note(taken, 1); }
  bool TryLock() { return !taken; }
  void Unlock() { note(taken, 0); }
};
using Mutex = Plain;

template <typename T> struct Table {
  void Lock() { note(taken, 1); }
  void Unlock() { note(taken, 0); }
  int taken = 0;
};

struct Guard {
  explicit Guard(Mutex &m) : mutex(m) {}
  ~Guard() {}
  Mutex &mutex;
};
template <typename M> struct Pick {
  void pick(M &m) { held = &m; }
  void drop() { held = nullptr; }
  ~Pick() {}
  M *held = nullptr;
};
} // namespace v1
} // namespace my

struct Door {
  void lock() {}
  void unlock() {}
};

using my::give;

int main() {
  static int a;
  my_init(&a);    // CHECK: retire [[#@LINE]] {{.*}}#1
  MY_LOCK(a);     // CHECK-NEXT: attempt [[#@LINE]] a #1
                  // CHECK-NEXT: acquire [[#@LINE-1]] a #1
  my_wait(&a);    // CHECK-NEXT: wait [[#@LINE]] a #1
                  // CHECK-NEXT: wake [[#@LINE-1]] a #1
  my_trylock(&a); // CHECK-NEXT: attempt [[#@LINE]] a #1
                  // CHECK-NEXT: fail [[#@LINE-1]] a #1
  my_unlock(&a);  // CHECK-NEXT: release [[#@LINE]] a #1
  my::take(1, &a); // CHECK-NEXT: attempt [[#@LINE]] a #1
                   // CHECK-NEXT: acquire [[#@LINE-1]] a #1
  give(&a);       // CHECK-NEXT: release [[#@LINE]] a #1
  my_sleep(1);    // CHECK-NEXT: block [[#@LINE]]
                  // CHECK-NEXT: unblock [[#@LINE-1]]
  static my::Mutex mutex;
  mutex.Lock();     // CHECK-NEXT: attempt [[#@LINE]] mutex #2
                    // CHECK-NEXT: acquire [[#@LINE-1]] mutex #2
  mutex.TryLock();  // CHECK-NEXT: attempt [[#@LINE]] mutex #2
                    // CHECK-NEXT: fail [[#@LINE-1]] mutex #2
  mutex.Unlock();   // CHECK-NEXT: release [[#@LINE]] mutex #2
  mutex.ReadLock(); // CHECK-NEXT: attempt [[#@LINE]] mutex #2
                    // CHECK-NEXT: acquire [[#@LINE-1]] mutex #2
  mutex.Unlock();   // CHECK-NEXT: release [[#@LINE]] mutex #2
  {
    my::Guard guard(mutex); // CHECK-NEXT: attempt [[#@LINE]] mutex #2
                            // CHECK-NEXT: acquire [[#@LINE-1]] mutex #2
  }                         // CHECK-NEXT: release [[#@LINE]]  #2
  static my::Table<int> table;
  {
    my::Pick<my::Table<int>> pick;
    pick.pick(table); // CHECK-NEXT: attempt [[#@LINE]] table #3
                      // CHECK-NEXT: acquire [[#@LINE-1]] table #3
    pick.drop();      // CHECK-NEXT: release [[#@LINE]] {{.*}}#3
    pick.pick(table); // CHECK-NEXT: attempt [[#@LINE]] table #3
                      // CHECK-NEXT: acquire [[#@LINE-1]] table #3
  }                   // CHECK-NEXT: release [[#@LINE]] {{.*}}#3
  Door door;
  door.lock();   // NONE: attempt [[#@LINE]] door
                 // NONE-NEXT: acquire [[#@LINE-1]] door
  door.unlock(); // NONE-NEXT: release [[#@LINE]] door
  pthread_mutex_t ignored = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&ignored); // NONE: attempt [[#@LINE]] ignored
}
// CHECK-NOT: {{.}}
// DEPENDS: .qdadvise.toml
