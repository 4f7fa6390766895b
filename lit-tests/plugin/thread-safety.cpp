// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and classes that carry Clang's thread-safety attributes are lock operations
// without any configuration: as leveldb and Abseil annotate theirs.

// RUN: %xray_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_cxx -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && %t | FileCheck %s

// What is taken inside is not the business of this test.
__attribute__((noinline)) void note(bool &taken, bool value) { taken = value; }

class __attribute__((capability("mutex"))) Mutex {
public:
  void Lock() __attribute__((acquire_capability())) { note(taken, true); }
  bool TryLock() __attribute__((try_acquire_capability(true))) {
    const bool was = taken;
    taken = true;
    return !was;
  }
  int TryOld() __attribute__((exclusive_trylock_function(0))) { return taken ? 16 : 0; }
  void ReaderLock() __attribute__((shared_lock_function())) { note(taken, true); }
  void Unlock() __attribute__((unlock_function())) { note(taken, false); }
  const Mutex &operator!() const { return *this; }

private:
  bool taken = false;
};

class __attribute__((scoped_lockable)) MutexLock {
public:
  explicit MutexLock(Mutex *m) __attribute__((exclusive_lock_function(m))) : mu_(m) {}
  MutexLock(Mutex *m, int) __attribute__((exclusive_locks_required(m))) : mu_(m) {}
  MutexLock(Mutex *m, char) __attribute__((locks_excluded(m))) : mu_(m) {}
  ~MutexLock() __attribute__((unlock_function())) {}
  void Lock() __attribute__((exclusive_lock_function())) { note(locked, true); }
  void Unlock() __attribute__((unlock_function())) { note(locked, false); }

private:
  Mutex *const mu_;
  bool locked = false;
};

struct Store {
  Mutex mu;
  Mutex more[2];
  Mutex *other = nullptr;
  Store *next = nullptr;
  void begin() __attribute__((acquire_capability(mu))) {}
  void end() __attribute__((release_capability(this->mu))) {}
  void beginOther() __attribute__((acquire_capability(other, more[1]))) {}
  void endOther() __attribute__((release_capability(more[1], *other))) {}
  void neither() __attribute__((locks_excluded(mu))) __attribute__((acquire_capability(!mu))) {}
};

Mutex global;
void enter() __attribute__((acquire_capability(global))) {}
void leave() __attribute__((release_capability(&global))) {}
void enterOf(Store *store, int) __attribute__((acquire_capability(store->mu))) {}
void leaveOf(int, Store &store) __attribute__((release_capability(store.mu))) {}

int main() {
  Mutex m;      // CHECK: retire
  m.Lock();     // CHECK: attempt [[#@LINE]] m #[[M:]]
                // CHECK-NEXT: acquire [[#@LINE-1]] m #[[M]]
  m.TryLock();  // CHECK-NEXT: attempt [[#@LINE]] m #[[M]]
                // CHECK-NEXT: fail [[#@LINE-1]] m #[[M]]
  m.Unlock();   // CHECK-NEXT: release [[#@LINE]] m #[[M]]
  m.TryOld();   // CHECK-NEXT: attempt [[#@LINE]] m #[[M]]
                // CHECK-NEXT: acquire [[#@LINE-1]] m #[[M]]
  m.Unlock();   // CHECK-NEXT: release [[#@LINE]] m #[[M]]
  {
    MutexLock lock(&m); // CHECK-NEXT: attempt [[#@LINE]] m #[[M]]
                        // CHECK-NEXT: acquire [[#@LINE-1]] m #[[M]]
    lock.Unlock();      // CHECK-NEXT: release [[#@LINE]] m #[[M]]
    lock.Lock();        // CHECK-NEXT: attempt [[#@LINE]] m #[[M]]
                        // CHECK-NEXT: acquire [[#@LINE-1]] m #[[M]]
  }                     // CHECK-NEXT: release [[#@LINE]]  #[[M]]
  {
    MutexLock adopted(&m, 1);
  } // CHECK-NEXT: release [[#@LINE]]  #[[M]]
  {
    MutexLock deferred(&m, 'c');
  } // CHECK-NEXT: release [[#@LINE]]  #[[M]]

  Store store;        // CHECK-NEXT: retire
                      // CHECK-NEXT: retire
                      // CHECK-NEXT: retire
  store.other = &m;
  store.begin();      // CHECK-NEXT: attempt [[#@LINE]] store #[[MU:]]
                      // CHECK-NEXT: acquire [[#@LINE-1]] store #[[MU]]
  store.neither();
  store.end();        // CHECK-NEXT: release [[#@LINE]] store #[[MU]]
  store.beginOther(); // CHECK-NEXT: attempt [[#@LINE]] store #[[M]]
                      // CHECK-NEXT: acquire [[#@LINE-1]] store #[[M]]
                      // CHECK-NEXT: attempt [[#@LINE-2]] store #[[MORE:]]
                      // CHECK-NEXT: acquire [[#@LINE-3]] store #[[MORE]]
  store.endOther();   // CHECK-NEXT: release [[#@LINE]] store #[[MORE]]
                      // CHECK-NEXT: release [[#@LINE-1]] store #[[M]]
  enterOf(&store, 1); // CHECK-NEXT: attempt [[#@LINE]] {{.*}}#[[MU]]
                      // CHECK-NEXT: acquire [[#@LINE-1]] {{.*}}#[[MU]]
  leaveOf(1, store);  // CHECK-NEXT: release [[#@LINE]] {{.*}}#[[MU]]
  enter();            // CHECK-NEXT: attempt [[#@LINE]] {{.*}}#[[G:]]
                      // CHECK-NEXT: acquire [[#@LINE-1]] {{.*}}#[[G]]
  leave();            // CHECK-NEXT: release [[#@LINE]] {{.*}}#[[G]]
  m.ReaderLock();     // CHECK-NEXT: attempt [[#@LINE]] m #[[M]]
                      // CHECK-NEXT: acquire [[#@LINE-1]] m #[[M]]
  m.Unlock();         // CHECK-NEXT: release [[#@LINE]] m #[[M]]
}
// CHECK-NOT: {{^(attempt|acquire|release)}}
