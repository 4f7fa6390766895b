// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of Threading Building Blocks, laid out in namespaces as oneTBB does it.
#pragma once
#include <pthread.h>

namespace tbb {
namespace detail {
namespace d1 {
template <typename M> class unique_scoped_lock {
public:
  unique_scoped_lock() = default;
  explicit unique_scoped_lock(M &m) { acquire(m); }
  ~unique_scoped_lock() {
    if (mutex)
      release();
  }
  void acquire(M &m) {
    mutex = &m;
    m.lock();
  }
  bool try_acquire(M &m) {
    const bool taken = m.try_lock();
    mutex = taken ? &m : nullptr;
    return taken;
  }
  void release() {
    mutex->unlock();
    mutex = nullptr;
  }

private:
  M *mutex = nullptr;
};
class spin_mutex {
public:
  using scoped_lock = unique_scoped_lock<spin_mutex>;
  void lock() { pthread_mutex_lock(&m); }
  bool try_lock() { return pthread_mutex_trylock(&m) == 0; }
  void unlock() { pthread_mutex_unlock(&m); }

private:
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
};
} // namespace d1
} // namespace detail
inline namespace v1 {
using detail::d1::spin_mutex;
}
} // namespace tbb
