/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The locks for C programs: the same code as the C++ headers beside this one, behind
 * functions of libqdadvise_locks (and of libqdadvise_rt). C11 or C++.
 *
 * All bytes zero is a free lock, of every type. The functions `try_…` return true where the
 * lock is now the caller's (pthread's trylock returns 0 then). Memory may be given back when
 * nobody else uses the lock in it any more, now or later; after a delegation that says so,
 * when `…_destroy` has returned, which waits for the helper that executed it to leave. */
#ifndef QDADVISE_LOCKS_LOCKS_C_H
#define QDADVISE_LOCKS_LOCKS_C_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__)
#define QDADVISE_LOCKS_API __attribute__((visibility("default")))
#else
#define QDADVISE_LOCKS_API
#endif

#if defined(__cplusplus) && __cplusplus < 201103L
#define QDADVISE_LOCKS_ALIGNED(bytes) __attribute__((aligned(bytes)))
#elif defined(__cplusplus)
#define QDADVISE_LOCKS_ALIGNED(bytes) alignas(bytes)
#else
#define QDADVISE_LOCKS_ALIGNED(bytes) _Alignas(bytes)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Test-and-test-and-set spinlock: spinlock.h. */
typedef struct {
  QDADVISE_LOCKS_ALIGNED(4) uint32_t word;
} qdadvise_spinlock;
#define QDADVISE_SPINLOCK_INITIALIZER {0}

QDADVISE_LOCKS_API void qdadvise_spinlock_init(qdadvise_spinlock *lock);
QDADVISE_LOCKS_API void qdadvise_spinlock_lock(qdadvise_spinlock *lock);
QDADVISE_LOCKS_API bool qdadvise_spinlock_try_lock(qdadvise_spinlock *lock);
QDADVISE_LOCKS_API void qdadvise_spinlock_unlock(qdadvise_spinlock *lock);

/* Ticket lock: ticket_lock.h. */
typedef struct {
  QDADVISE_LOCKS_ALIGNED(4) uint32_t words[2];
} qdadvise_ticket;
#define QDADVISE_TICKET_INITIALIZER {{0}}

QDADVISE_LOCKS_API void qdadvise_ticket_init(qdadvise_ticket *lock);
QDADVISE_LOCKS_API void qdadvise_ticket_lock(qdadvise_ticket *lock);
QDADVISE_LOCKS_API bool qdadvise_ticket_try_lock(qdadvise_ticket *lock);
QDADVISE_LOCKS_API void qdadvise_ticket_unlock(qdadvise_ticket *lock);

/* MCS queue lock: mcs_lock.h. */
typedef struct {
  void *words[2];
} qdadvise_mcs;
#define QDADVISE_MCS_INITIALIZER {{0}}

QDADVISE_LOCKS_API void qdadvise_mcs_init(qdadvise_mcs *lock);
QDADVISE_LOCKS_API void qdadvise_mcs_lock(qdadvise_mcs *lock);
QDADVISE_LOCKS_API bool qdadvise_mcs_try_lock(qdadvise_mcs *lock);
QDADVISE_LOCKS_API void qdadvise_mcs_unlock(qdadvise_mcs *lock);

/* CLH queue lock: clh_lock.h. */
typedef struct {
  QDADVISE_LOCKS_ALIGNED(64) unsigned char bytes[4096];
} qdadvise_clh;
#define QDADVISE_CLH_INITIALIZER {{0}}

QDADVISE_LOCKS_API void qdadvise_clh_init(qdadvise_clh *lock);
QDADVISE_LOCKS_API void qdadvise_clh_lock(qdadvise_clh *lock);
QDADVISE_LOCKS_API bool qdadvise_clh_try_lock(qdadvise_clh *lock);
QDADVISE_LOCKS_API void qdadvise_clh_unlock(qdadvise_clh *lock);

/* Queue delegation lock: qd_lock.h. */
typedef struct {
  QDADVISE_LOCKS_ALIGNED(64) unsigned char bytes[2112];
} qdadvise_qd;
#define QDADVISE_QD_INITIALIZER {{0}}

QDADVISE_LOCKS_API void qdadvise_qd_init(qdadvise_qd *lock);
QDADVISE_LOCKS_API void qdadvise_qd_destroy(qdadvise_qd *lock);
QDADVISE_LOCKS_API void qdadvise_qd_lock(qdadvise_qd *lock);
QDADVISE_LOCKS_API bool qdadvise_qd_try_lock(qdadvise_qd *lock);
QDADVISE_LOCKS_API void qdadvise_qd_unlock(qdadvise_qd *lock);
/* Executes operation(argument) under the lock, on this thread or on the one that holds
 * the lock, and returns its value when it is done. The operation must not throw, longjmp
 * out of itself, end its thread, or use this lock. */
QDADVISE_LOCKS_API void *qdadvise_qd_delegate(qdadvise_qd *lock, void *(*operation)(void *),
                                              void *argument);
/* The same without waiting for it, where another thread is there to execute it. What one
 * thread asks of one lock is done in that order. `argument` must live until then. */
QDADVISE_LOCKS_API void qdadvise_qd_delegate_detached(qdadvise_qd *lock, void (*operation)(void *),
                                                      void *argument);

/* Multiple-reader queue delegation lock: mrqd_lock.h. What holds for qdadvise_qd holds here;
 * readers unlock on the thread that locked. */
typedef struct {
  QDADVISE_LOCKS_ALIGNED(64) unsigned char bytes[3200];
} qdadvise_mrqd;
#define QDADVISE_MRQD_INITIALIZER {{0}}

QDADVISE_LOCKS_API void qdadvise_mrqd_init(qdadvise_mrqd *lock);
QDADVISE_LOCKS_API void qdadvise_mrqd_destroy(qdadvise_mrqd *lock);
QDADVISE_LOCKS_API void qdadvise_mrqd_lock(qdadvise_mrqd *lock);
QDADVISE_LOCKS_API bool qdadvise_mrqd_try_lock(qdadvise_mrqd *lock);
QDADVISE_LOCKS_API void qdadvise_mrqd_unlock(qdadvise_mrqd *lock);
QDADVISE_LOCKS_API void qdadvise_mrqd_lock_shared(qdadvise_mrqd *lock);
QDADVISE_LOCKS_API bool qdadvise_mrqd_try_lock_shared(qdadvise_mrqd *lock);
QDADVISE_LOCKS_API void qdadvise_mrqd_unlock_shared(qdadvise_mrqd *lock);
QDADVISE_LOCKS_API void *qdadvise_mrqd_delegate(qdadvise_mrqd *lock, void *(*operation)(void *),
                                                void *argument);
QDADVISE_LOCKS_API void qdadvise_mrqd_delegate_detached(qdadvise_mrqd *lock,
                                                        void (*operation)(void *), void *argument);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
