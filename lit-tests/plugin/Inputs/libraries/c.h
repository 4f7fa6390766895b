// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of C libraries, over pthreads: GLib, APR, libuv, SDL and the Linux style.
#pragma once
#include <pthread.h>

typedef pthread_mutex_t GMutex, uv_mutex_t, spinlock_t, apr_thread_mutex_t, SDL_mutex;
typedef struct {
  int unused;
} GCond;
static void g_mutex_lock(GMutex *m) { pthread_mutex_lock(m); }
static void g_mutex_unlock(GMutex *m) { pthread_mutex_unlock(m); }
static int g_mutex_trylock(GMutex *m) { return !pthread_mutex_trylock(m); }
static void g_cond_wait(GCond *c, GMutex *m) { (void)c, (void)m; }
static void uv_mutex_lock(uv_mutex_t *m) { pthread_mutex_lock(m); }
static int uv_mutex_trylock(uv_mutex_t *m) { return pthread_mutex_trylock(m); }
static void uv_mutex_unlock(uv_mutex_t *m) { pthread_mutex_unlock(m); }
static int apr_thread_mutex_lock(apr_thread_mutex_t *m) { return pthread_mutex_lock(m); }
static int apr_thread_mutex_unlock(apr_thread_mutex_t *m) { return pthread_mutex_unlock(m); }
static int SDL_LockMutex(SDL_mutex *m) { return pthread_mutex_lock(m); }
static int SDL_UnlockMutex(SDL_mutex *m) { return pthread_mutex_unlock(m); }
static void spin_lock_bh(spinlock_t *m) { pthread_mutex_lock(m); }
static void spin_unlock_bh(spinlock_t *m) { pthread_mutex_unlock(m); }
static void down(int files) { (void)files; }
