/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The locks for C programs: the same code as the C++ headers beside this one, behind
 * functions of libqdadvise_rt. C11 or C++. */
#ifndef QDADVISE_LOCKS_LOCKS_C_H
#define QDADVISE_LOCKS_LOCKS_C_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__)
#define QDADVISE_LOCKS_API __attribute__((visibility("default")))
#else
#define QDADVISE_LOCKS_API
#endif

#ifdef __cplusplus
#define QDADVISE_LOCKS_ALIGNED(bytes) alignas(bytes)
extern "C" {
#else
#define QDADVISE_LOCKS_ALIGNED(bytes) _Alignas(bytes)
#endif

/* Test-and-test-and-set spinlock; all bytes zero is a free lock. */
typedef struct {
  QDADVISE_LOCKS_ALIGNED(4) uint32_t word;
} qdadvise_spinlock;

#define QDADVISE_SPINLOCK_INITIALIZER {0}

QDADVISE_LOCKS_API void qdadvise_spinlock_init(qdadvise_spinlock *lock);
QDADVISE_LOCKS_API void qdadvise_spinlock_lock(qdadvise_spinlock *lock);
/* True where the lock was free and is now the caller's (pthread's trylock returns 0 then). */
QDADVISE_LOCKS_API bool qdadvise_spinlock_try_lock(qdadvise_spinlock *lock);
QDADVISE_LOCKS_API void qdadvise_spinlock_unlock(qdadvise_spinlock *lock);

/* Queue delegation lock; all bytes zero is a free lock. */
typedef struct {
  QDADVISE_LOCKS_ALIGNED(64) unsigned char bytes[576];
} qdadvise_qd;

#define QDADVISE_QD_INITIALIZER {{0}}

QDADVISE_LOCKS_API void qdadvise_qd_init(qdadvise_qd *lock);
/* Nobody may hold the lock or delegate to it any more. */
QDADVISE_LOCKS_API void qdadvise_qd_destroy(qdadvise_qd *lock);
QDADVISE_LOCKS_API void qdadvise_qd_lock(qdadvise_qd *lock);
QDADVISE_LOCKS_API bool qdadvise_qd_try_lock(qdadvise_qd *lock);
QDADVISE_LOCKS_API void qdadvise_qd_unlock(qdadvise_qd *lock);
/* Executes operation(argument) under the lock, on this thread or on the one that holds
 * the lock, and returns its value when it is done. The operation must not throw, longjmp
 * out of itself, end its thread, or use this lock. */
QDADVISE_LOCKS_API void *qdadvise_qd_delegate(qdadvise_qd *lock, void *(*operation)(void *),
                                              void *argument);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
