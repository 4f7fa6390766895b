// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The versions of the meta-benchmark: how each kind of lock runs a critical section on some data.
// The type of the data is a parameter, so that profiles tell the two structures apart.
#pragma once

#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>

#include <pthread.h>

namespace qdadvise::meta {

class Mutex {
public:
  static constexpr const char *name = "mutex";
  template <typename Data, typename Section> auto run(Data &data, Section &&section) {
    pthread_mutex_lock(&mutex);
    const auto result = section(data);
    pthread_mutex_unlock(&mutex);
    return result;
  }

private:
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

class Spinlock {
public:
  static constexpr const char *name = "spinlock";
  template <typename Data, typename Section> auto run(Data &data, Section &&section) {
    spinlock.lock();
    const auto result = section(data);
    spinlock.unlock();
    return result;
  }

private:
  qdadvise::spinlock spinlock;
};

class Delegation {
public:
  static constexpr const char *name = "qd";
  template <typename Data, typename Section> auto run(Data &data, Section &&section) {
    return lock.delegate([&] { return section(data); });
  }

private:
  qdadvise::qd_lock lock;
};

/// No lock, for calibration and for the effects of threads on each other without locks. Each thread
/// has structures of its own.
class Nothing {
public:
  static constexpr const char *name = "none";
  template <typename Data, typename Section> auto run(Data &data, Section &&section) {
    return section(data);
  }
};

} // namespace qdadvise::meta
