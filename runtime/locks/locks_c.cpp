// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C functions of the locks: the C++ locks behind the C types.
#include <qdadvise/locks/clh_lock.h>
#include <qdadvise/locks/locks_c.h>
#include <qdadvise/locks/mcs_lock.h>
#include <qdadvise/locks/mrqd_lock.h>
#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>
#include <qdadvise/locks/ticket_lock.h>

#include <new>

// A lock from a C initializer was never constructed as a C++ object, but has the
// bytes of one: the constructors store nothing but zeros.
#define LOCKABLE(name, Lock)                                                                       \
  static_assert(sizeof(name) == sizeof(Lock) && alignof(name) >= alignof(Lock));                   \
  static Lock &real(name *lock) { return *reinterpret_cast<Lock *>(lock); }                        \
  void name##_init(name *lock) { new (lock) Lock; }                                                \
  void name##_lock(name *lock) { real(lock).lock(); }                                              \
  bool name##_try_lock(name *lock) { return real(lock).try_lock(); }                               \
  void name##_unlock(name *lock) { real(lock).unlock(); }

#define DELEGATING(name)                                                                           \
  void name##_destroy(name *lock) {                                                                \
    name##_lock(lock);                                                                             \
    name##_unlock(lock);                                                                           \
  }                                                                                                \
  void *name##_delegate(name *lock, void *(*operation)(void *), void *argument) {                  \
    return real(lock).delegate([=] { return operation(argument); });                               \
  }                                                                                                \
  void name##_delegate_detached(name *lock, void (*operation)(void *), void *argument) {           \
    real(lock).delegate_detached([=] { operation(argument); });                                    \
  }

LOCKABLE(qdadvise_spinlock, qdadvise::spinlock)
LOCKABLE(qdadvise_ticket, qdadvise::ticket_lock)
LOCKABLE(qdadvise_mcs, qdadvise::mcs_lock)
LOCKABLE(qdadvise_clh, qdadvise::clh_lock)
LOCKABLE(qdadvise_qd, qdadvise::qd_lock)
DELEGATING(qdadvise_qd)
LOCKABLE(qdadvise_mrqd, qdadvise::mrqd_lock)
DELEGATING(qdadvise_mrqd)

void qdadvise_mrqd_lock_shared(qdadvise_mrqd *lock) { real(lock).lock_shared(); }
bool qdadvise_mrqd_try_lock_shared(qdadvise_mrqd *lock) { return real(lock).try_lock_shared(); }
void qdadvise_mrqd_unlock_shared(qdadvise_mrqd *lock) { real(lock).unlock_shared(); }
