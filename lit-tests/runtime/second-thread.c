// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's locks skip atomics until there was a second thread. The runtime lets one begin and end,
// but not before anything is recorded.
//
// RUN: %clang --config=%cfgdir/profile.cfg -O1 -I%source/runtime/include %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t | FileCheck --check-prefix=ON %s
// RUN: env QDADVISE_OPTIONS=enabled=0:profile=%t.qdprof %t | FileCheck --check-prefix=LATER %s
// RUN: %qdadvise report %t.qdprof | FileCheck --check-prefix=REPORT %s
// RUN: env QDADVISE_OPTIONS=enabled=0:threaded=0:profile=%t.qdprof %t | FileCheck --check-prefix=NEVER %s
// RUN: %qdadvise report %t.qdprof | FileCheck --check-prefix=BIASED %s
//
// ON: alone 0, 0, 0
// LATER: alone 1, 1, 0
// NEVER: alone 1, 1, 1
// REPORT-NOT: no second thread
// BIASED: no second thread ever ran
#include <pthread.h>
#include <qdadvise/profile.h>
#include <stdio.h>
#include <sys/single_threaded.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void work(void) {
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
  }
}

int main(void) {
  const int atStart = __libc_single_threaded;
  work();
  const int dormant = __libc_single_threaded;
  qdadvise_start();
  work();
  printf("alone %d, %d, %d\n", atStart, dormant, __libc_single_threaded);
}
