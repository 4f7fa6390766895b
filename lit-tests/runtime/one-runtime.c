// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// However many copies of the runtime a process has, one records all of it: the static
// one in the program beside the shared one of its library, and a copy of the shared one
// loaded before it.
//
// REQUIRES: llvm-free-tests
// RUN: rm -rf %t && mkdir %t && cp %rt %t/copy.so
// RUN: %clang -O1 -fPIC -shared -DLIBRARY -I%S/Inputs %s -o %t/lib.so -L%libdir -Wl,-rpath,%libdir -Wl,--no-as-needed -lqdadvise_rt
// RUN: %clang -O1 -I%S/Inputs %s -o %t/linked %t/lib.so -Wl,-rpath,%t -Wl,--whole-archive %libdir/libqdadvise_rt.a -Wl,--no-whole-archive -pthread
// RUN: %clang -O1 -I%S/Inputs -DLOADED='"%t/lib.so"' %s -o %t/loaded -Wl,--whole-archive %libdir/libqdadvise_rt.a -Wl,--no-whole-archive -pthread
// RUN: %clang -O1 -I%S/Inputs %s -o %t/shared %t/lib.so -Wl,-rpath,%t -L%libdir -Wl,-rpath,%libdir -Wl,--no-as-needed -lqdadvise_rt -pthread
//
// RUN: env QDADVISE_OPTIONS=profile=%t/linked.%%p.qdprof %t/linked
// RUN: %python %S/Inputs/dump.py %t/linked.*.qdprof | FileCheck %s
// RUN: env QDADVISE_OPTIONS=profile=%t/loaded.%%p.qdprof %t/loaded
// RUN: %python %S/Inputs/dump.py %t/loaded.*.qdprof | FileCheck %s
// RUN: env LD_PRELOAD=%t/copy.so QDADVISE_OPTIONS=profile=%t/shared.%%p.qdprof %t/shared
// RUN: %python %S/Inputs/dump.py %t/shared.*.qdprof | FileCheck %s
// One each:
// RUN: sh -c 'test $(ls %t/*.qdprof | wc -l) = 3'
//
// CHECK: events 60 dropped 0 unmatched 0
// CHECK-DAG: section 10 lock a acquisitions 10
// CHECK-DAG: section 20 lock b acquisitions 10
#include "sites.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef LIBRARY
static struct site sites[] = {MUTEX_SITE(roleAcquire, 20, "library()", "b", 1),
                              MUTEX_SITE(roleRelease, 22, "library()", "b", 1)};
#else
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
#endif
REGISTER(sites)

static void sections(void) {
  for (int i = 0; i < 10; ++i) {
    lockAt(&sites[0], &lock);
    unlockAt(&sites[1], &lock);
  }
}

#ifdef LIBRARY
void library(void) { sections(); }
#elif defined(LOADED)
#include <dlfcn.h>
int main(void) {
  void *const found = dlopen(LOADED, RTLD_NOW | RTLD_LOCAL);
  void (*const library)(void) =
      found ? (void (*)(void))dlsym(found, "library") : (void (*)(void))0;
  if (!library)
    return 1;
  sections();
  library();
  return 0;
}
#else
void library(void);
int main(void) {
  sections();
  library();
  return 0;
}
#endif
