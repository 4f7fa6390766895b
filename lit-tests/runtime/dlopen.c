// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library that is unloaded and comes back at another address brings the same sites and
// the same callers; what was recorded of it before it went is not lost.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -fPIC -shared -DLIBRARY -I%S/Inputs %s -o %t.so
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -Wl,--no-as-needed -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t %t.so
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
// RUN: env QDADVISE_OPTIONS=profile=%t.paths.qdprof:path_sites=test.c:path_depth=2 %t %t.so
// RUN: %python %S/Inputs/dump.py %t.paths.qdprof | FileCheck %s --check-prefix=PATHS
//
// PATHS: events 500 dropped 0 unmatched 0
// PATHS: site 30 executed 100 {{.*}} called from dlopen.c.tmp.so+0x
// PATHS: section 30 lock a acquisitions 100
// PATHS-NOT: section
// CHECK: events 500 dropped 0 unmatched 0
// CHECK: site 10 executed 0 inside 100
// CHECK-NEXT: site 30 executed 0 inside 0
// CHECK-NEXT: site 30 executed 100 {{.*}} called from dlopen.c.tmp.so+0x
// CHECK-NEXT: section 30 lock a acquisitions 100
// CHECK-NOT: section
#ifdef LIBRARY
#include "sites.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "wrapper()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "wrapper()", "a", 1),
                              BY_CALLER_SITE(30, "wrapper()")};
REGISTER(sites)

__attribute__((noinline)) static void wrapper(void) {
  lockForCaller(&sites[2], __builtin_return_address(0), &sites[0], &a);
}

void sections(void) {
  for (int i = 0; i < 50; ++i) {
    wrapper();
    unlockAt(&sites[1], &a);
  }
}
#else
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/mman.h>

int main(int count, char **arguments) {
  void *first = 0;
  for (int round = 0; round < 2; ++round) {
    void *const library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : 0;
    void (*const sections)(void) =
        library ? (void (*)(void))dlsym(library, "sections") : (void (*)(void))0;
    if (!sections)
      return 1;
    if (round == 1 && (void *)sections == first)
      return 2;
    first = (void *)sections;
    sections();
    // Whatever is mapped next takes the place.
    Dl_info info;
    if (dladdr(first, &info) == 0 || dlclose(library) != 0)
      return 3;
    mmap(info.dli_fbase, 1 << 14, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  return 0;
}
#endif
