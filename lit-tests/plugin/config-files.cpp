// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each configuration file alone makes a program that records itself, and no warning,
// whether clang compiles, links or does both.

// RUN: mkdir -p %t.dir && cd %t.dir
// RUN: %clangxx --config=%cfgdir/profile.cfg -Werror -O2 -c %s -o %t.o
// RUN: %clangxx --config=%cfgdir/profile.cfg -Werror %t.o -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -Werror -O2 -c %s -o %t.o
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -Werror %t.o -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile-xray.cfg -Werror -O2 -c %s -o %t.o
// RUN: %clangxx --config=%cfgdir/profile-xray.cfg -Werror %t.o -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile-xray-static.cfg -Werror -O2 -static %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile-static.cfg -Werror -O2 %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile-static.cfg -Werror -O2 -static %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile-call-static.cfg -Werror -O2 %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/profile.cfg -Werror -fsanitize=thread -O1 %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/memory.cfg -Werror -O2 -c %s -o %t.o
// RUN: %clangxx --config=%cfgdir/memory.cfg -Werror %t.o -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/memory-call.cfg -Werror -O0 -g %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/memory-static.cfg -Werror -O2 %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/memory-call-static.cfg -Werror -O2 -static %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s
// RUN: %clangxx --config=%cfgdir/advise.cfg -Werror -O2 %s -o %t && %t

// 1000 sections of attempt, acquire and release.
// CHECK: wrote 3000 events

#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main() {
  for (int i = 0; i < 1000; ++i)
    pthread_mutex_lock(&lock), pthread_mutex_unlock(&lock);
}
