// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instrumented program without the runtime simply runs, in all modes, with and
// without XRay's runtime.

// RUN: %clangxx -O0 %call_flags %s -o %t && %t
// RUN: %clangxx -O2 %call_flags %s -o %t && %t
// RUN: %clangxx -O2 %call_flags -fno-pie -no-pie %s -o %t && %t
// RUN: %clangxx -O2 %call_flags -static %s -o %t && %t
// RUN: %clangxx -O2 %patch_flags %s -o %t && %t
// RUN: %clangxx -O2 %patch_flags -static %s -o %t && %t
// RUN: %clangxx -O0 %xray_flags %s -o %t && %t
// RUN: %clangxx -O2 %xray_flags %s -o %t && %t
// RUN: %clangxx -O2 %xray_flags -c %s -o %t.o && %clangxx %t.o -o %t && %t

#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main() {
  pthread_mutex_lock(&lock);
  return pthread_mutex_unlock(&lock);
}
