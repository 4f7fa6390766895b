// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C functions of the locks: the C++ locks behind the C types.
#include <qdadvise/locks/locks_c.h>
#include <qdadvise/locks/qd_lock.h>
#include <qdadvise/locks/spinlock.h>

#include <new>

using qdadvise::qd_lock;
using qdadvise::spinlock;

static_assert(sizeof(qdadvise_spinlock) == sizeof(spinlock) &&
              alignof(qdadvise_spinlock) == alignof(spinlock));
static_assert(sizeof(qdadvise_qd) == sizeof(qd_lock) && alignof(qdadvise_qd) == alignof(qd_lock));

// A lock from a C initializer was never constructed as a C++ object, but has the
// bytes of one: the constructors store nothing but zeros.
static spinlock &real(qdadvise_spinlock *lock) { return *reinterpret_cast<spinlock *>(lock); }
static qd_lock &real(qdadvise_qd *lock) { return *reinterpret_cast<qd_lock *>(lock); }

void qdadvise_spinlock_init(qdadvise_spinlock *lock) { new (lock) spinlock; }
void qdadvise_spinlock_lock(qdadvise_spinlock *lock) { real(lock).lock(); }
bool qdadvise_spinlock_try_lock(qdadvise_spinlock *lock) { return real(lock).try_lock(); }
void qdadvise_spinlock_unlock(qdadvise_spinlock *lock) { real(lock).unlock(); }

void qdadvise_qd_init(qdadvise_qd *lock) { new (lock) qd_lock; }
void qdadvise_qd_destroy(qdadvise_qd *lock) { real(lock).~qd_lock(); }
void qdadvise_qd_lock(qdadvise_qd *lock) { real(lock).lock(); }
bool qdadvise_qd_try_lock(qdadvise_qd *lock) { return real(lock).try_lock(); }
void qdadvise_qd_unlock(qdadvise_qd *lock) { real(lock).unlock(); }
void *qdadvise_qd_delegate(qdadvise_qd *lock, void *(*operation)(void *), void *argument) {
  return real(lock).delegate([=] { return operation(argument); });
}
