// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GLib, APR, libuv, SDL and the Linux style by their names. A function of such a name
// that is given no lock is another one.

// RUN: %call_c -O0 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %xray_c -O2 -I%S/Inputs/libraries %s -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include "c.h"

GMutex mutex;
GCond condition;

int main(void) {
  // CHECK-DAG: site acquire library-c.c:[[#@LINE+1]]:{{.*}}| mutex | mutex |{{.*}}flags 0
  g_mutex_lock(&mutex);
  // CHECK-DAG: site acquire library-c.c:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 1
  g_mutex_trylock(&mutex);
  // CHECK-DAG: site wait library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  g_cond_wait(&condition, &mutex);
  // CHECK-DAG: site release library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  g_mutex_unlock(&mutex);
  // CHECK-DAG: site acquire library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  uv_mutex_lock(&mutex);
  // CHECK-DAG: site acquire library-c.c:[[#@LINE+1]]:{{.*}}| mutex |{{.*}}flags 1
  uv_mutex_trylock(&mutex);
  // CHECK-DAG: site release library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  uv_mutex_unlock(&mutex);
  // CHECK-DAG: site acquire library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  apr_thread_mutex_lock(&mutex);
  // CHECK-DAG: site release library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  apr_thread_mutex_unlock(&mutex);
  // CHECK-DAG: site acquire library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  SDL_LockMutex(&mutex);
  // CHECK-DAG: site release library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  SDL_UnlockMutex(&mutex);
  // CHECK-DAG: site acquire library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  spin_lock_bh(&mutex);
  // CHECK-DAG: site release library-c.c:[[#@LINE+1]]:{{.*}}| mutex |
  spin_unlock_bh(&mutex);
  down(1);
  // CHECK-NOT: site block
}
