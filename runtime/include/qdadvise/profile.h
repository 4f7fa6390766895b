/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Steering QDAdvise's recording from within a program, in C or C++. Everything
 * here is weak: the calls may stay in production code, where without the runtime
 * they do nothing. */
#ifndef QDADVISE_PROFILE_H
#define QDADVISE_PROFILE_H

#ifdef __cplusplus
extern "C" {
#endif

#define QDADVISE_WEAK __attribute__((weak, visibility("default")))

/* The runtime's functions. Null without it; call the wrappers below instead. */
QDADVISE_WEAK void __qdadvise_start(void);
QDADVISE_WEAK void __qdadvise_stop(void);
QDADVISE_WEAK void __qdadvise_reset(void);
QDADVISE_WEAK int __qdadvise_write(void);
QDADVISE_WEAK void __qdadvise_name_lock(const void *lock, const char *name);
QDADVISE_WEAK void __qdadvise_thread_class(const char *name);

#undef QDADVISE_WEAK

/* Records from here on; does nothing while recording is on. */
static inline void qdadvise_start(void) {
  if (__qdadvise_start)
    __qdadvise_start();
}

/* Records no more. What was recorded stays and is written at exit. */
static inline void qdadvise_stop(void) {
  if (__qdadvise_stop)
    __qdadvise_stop();
}

/* Forgets what was recorded, for example the warming up. */
static inline void qdadvise_reset(void) {
  if (__qdadvise_reset)
    __qdadvise_reset();
}

/* Writes the profile now, over an earlier one of this process. Returns 0, or -1 if
 * it could not be written or there is no runtime. */
static inline int qdadvise_write(void) { return __qdadvise_write ? __qdadvise_write() : -1; }

/* Reports one lock object under a name of its own, apart from others declared at
 * the same place. Call it before the lock is first taken. */
static inline void qdadvise_name_lock(const void *lock, const char *name) {
  if (__qdadvise_name_lock)
    __qdadvise_name_lock(lock, name);
}

/* Puts the calling thread into the thread class `name` from here on. */
static inline void qdadvise_thread_class(const char *name) {
  if (__qdadvise_thread_class)
    __qdadvise_thread_class(name);
}

#ifdef __cplusplus
}
#endif

#endif /* QDADVISE_PROFILE_H */
