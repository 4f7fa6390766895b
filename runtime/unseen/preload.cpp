// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library by itself, for LD_PRELOAD: stands before the functions that take locks. It counts by
// calling module those that no hook tells of (unseen_locks.h). In a process without the runtime, or
// with another C library than glibc, it does nothing but pass calls on.
#include "runtime/unseen/unseen_locks.h"

#include <cerrno>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <threads.h>

// Where it is missing (another C library) there is no runtime of ours, either.
extern "C" {
#pragma weak _dl_find_object
}

using namespace qdadvise::runtime;

#define QDADVISE_BEFORE_LIBC extern "C" __attribute__((visibility("default")))

QDADVISE_BEFORE_LIBC UnseenLocks qdadviseUnseenLocks;

namespace {

constinit CountedModules modules;

/// Code that a program makes as it runs.
constexpr const char *noFile = "(code of no file)";

} // namespace

constinit UnseenLocks qdadviseUnseenLocks{unseenLocksVersion, nullptr, &modules};

namespace {

unsigned shardOfThread() {
  static unsigned next = 0;
  static constinit thread_local unsigned shard __attribute__((tls_model("initial-exec"))) = 0;
  if (shard == 0)
    shard = __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED);
  return shard;
}

/// `result` is what the function returned whose call returns to `caller`.
int noted(int result, const void *caller) {
  const auto isUnseen = __atomic_load_n(&qdadviseUnseenLocks.isUnseen, __ATOMIC_ACQUIRE);
  const bool isTaken = result == 0 || result == EOWNERDEAD;
  if (!isUnseen || !isTaken || !isUnseen())
    return result;
  // It takes no lock, and knows at any time what is loaded.
  dl_find_object found;
  const bool isFound = &_dl_find_object && _dl_find_object(const_cast<void *>(caller), &found) == 0;
  modules.count(isFound ? found.dlfo_link_map->l_name : noFile, shardOfThread());
  return result;
}

} // namespace

// Each with its parameters, and what it passes on.
#define QDADVISE_LOCK_FUNCTIONS(F)                                                                 \
  F(pthread_mutex_lock, (pthread_mutex_t * lock), (lock))                                          \
  F(pthread_mutex_trylock, (pthread_mutex_t * lock), (lock))                                       \
  F(pthread_mutex_timedlock, (pthread_mutex_t * lock, const timespec *until), (lock, until))       \
  F(pthread_mutex_clocklock, (pthread_mutex_t * lock, clockid_t clock, const timespec *until),     \
    (lock, clock, until))                                                                          \
  F(pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))                                      \
  F(pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock), (lock))                                   \
  F(pthread_rwlock_timedrdlock, (pthread_rwlock_t * lock, const timespec *until), (lock, until))   \
  F(pthread_rwlock_clockrdlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec *until), \
    (lock, clock, until))                                                                          \
  F(pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))                                      \
  F(pthread_rwlock_trywrlock, (pthread_rwlock_t * lock), (lock))                                   \
  F(pthread_rwlock_timedwrlock, (pthread_rwlock_t * lock, const timespec *until), (lock, until))   \
  F(pthread_rwlock_clockwrlock, (pthread_rwlock_t * lock, clockid_t clock, const timespec *until), \
    (lock, clock, until))                                                                          \
  F(pthread_spin_lock, (pthread_spinlock_t * lock), (lock))                                        \
  F(pthread_spin_trylock, (pthread_spinlock_t * lock), (lock))                                     \
  F(mtx_lock, (mtx_t * lock), (lock))                                                              \
  F(mtx_trylock, (mtx_t * lock), (lock))                                                           \
  F(mtx_timedlock, (mtx_t * lock, const timespec *until), (lock, until))

namespace {

template <typename Function> Function findNext(Function &next, const char *name) {
  Function found = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (__builtin_expect(!found, 0)) {
    found = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
    __atomic_store_n(&next, found, __ATOMIC_RELAXED);
  }
  return found;
}

#define QDADVISE_NEXT(name, parameters, arguments) int(*next_##name) parameters = nullptr;
QDADVISE_LOCK_FUNCTIONS(QDADVISE_NEXT)

/// Before any other constructor of the process (-z initfirst), when nobody holds the loader's lock:
/// dlsym takes it, and whoever is loading a library may be waiting for a lock of the program's.
__attribute__((constructor)) void findAll() {
#define QDADVISE_FIND(name, parameters, arguments) findNext(next_##name, #name);
  QDADVISE_LOCK_FUNCTIONS(QDADVISE_FIND)
}

} // namespace

#define QDADVISE_STAND_BEFORE(name, parameters, arguments)                                         \
  QDADVISE_BEFORE_LIBC int name parameters noexcept(noexcept(name arguments)) {                    \
    const auto next = findNext(next_##name, #name);                                                \
    return next ? noted(next arguments, __builtin_return_address(0)) : ENOSYS;                     \
  }
QDADVISE_LOCK_FUNCTIONS(QDADVISE_STAND_BEFORE)
