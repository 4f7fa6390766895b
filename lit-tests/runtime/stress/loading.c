// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library's constructor starts threads, which start threads, and waits for them: all the while the
// dynamic linker's own lock is held.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -fPIC -shared -DLIBRARY -I%S/../Inputs %s -o %t.so
// RUN: %clang -O1 -DPATH='"%t.so"' %s -o %t.plain
// RUN: %clang -O1 -DPATH='"%t.so"' %s -o %t -L%libdir -Wl,-rpath,%libdir \
// RUN:   -Wl,--no-as-needed -lqdadvise_rt
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t | FileCheck %s
// RUN: %python %S/../Inputs/same.py --preload %libdir/libqdadvise_unseen.so %t.qdprof \
// RUN:   %t.plain %t | FileCheck %s
//
// CHECK: events 12 dropped 0 unmatched 0
// CHECK: threads 5 most
// CHECK: class outerRoutine count 2
// CHECK: class thread@{{.*}}.so+0x{{[0-9a-f]+}} count 2
// CHECK: section 10 lock a acquisitions 2
#ifdef LIBRARY
#include "sites.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "inner()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "inner()", "a", 1)};

static void *inner(void *none) {
  lockAt(&sites[0], &a);
  unlockAt(&sites[1], &a);
  return none;
}

/* Exported: the profile has its name. */
void *outerRoutine(void *none) {
  pthread_t thread;
  pthread_create(&thread, NULL, inner, NULL);
  pthread_join(thread, NULL);
  return inner(none);
}

__attribute__((constructor)) static void load(void) {
  if (__qdadvise_register)
    __qdadvise_register(sites, sites + 2);
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, outerRoutine, NULL);
    pthread_join(thread, NULL);
  }
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(void) { puts(dlopen(PATH, RTLD_NOW) ? "loaded" : dlerror()); }
#endif
