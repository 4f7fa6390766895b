// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's own lock: no allocation, no initialisation, and instrumented by nobody.
#pragma once

#include <sched.h>

namespace qdadvise::runtime {

class SpinLock {
public:
  void lock() {
    while (!tryLock())
      sched_yield();
  }
  bool tryLock() { return __atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE) == 0; }
  void unlock() { __atomic_store_n(&taken, 0, __ATOMIC_RELEASE); }

private:
  int taken = 0;
};

class SpinGuard {
public:
  explicit SpinGuard(SpinLock &guarded) : spin(guarded) { spin.lock(); }
  ~SpinGuard() { spin.unlock(); }
  SpinGuard(const SpinGuard &) = delete;
  SpinGuard &operator=(const SpinGuard &) = delete;

private:
  SpinLock &spin;
};

} // namespace qdadvise::runtime
