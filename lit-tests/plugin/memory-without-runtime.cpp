// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was compiled with `memory` runs without the runtime: programs of every kind, and
// libraries that a plain program loads.

// RUN: %memory_cxx -O0 %s -o %t && %t
// RUN: %memory_cxx -O2 %s -o %t && %t
// RUN: %memory_cxx -O2 %s -fuse-ld=lld -o %t && %t
// RUN: %memory_cxx -O2 -fPIC %s -o %t && %t
// RUN: %memory_cxx -O2 -fno-pie -no-pie %s -o %t && %t
// RUN: %memory_cxx -O2 -static %s -o %t && %t
// RUN: %memory_cxx -O2 -flto -fuse-ld=lld %s -o %t && %t
// RUN: %memory_cxx -O2 -flto=thin -fuse-ld=lld -Wl,--gc-sections %s -o %t && %t
// RUN: %clangxx %xray_flags %plugin_arg-memory -O2 %s -o %t && %t
// RUN: %memory_cxx -O2 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: %memory_cxx -O2 -fPIC -shared -DLIBRARY -fuse-ld=lld %s -o %t.lld.so
// RUN: %clangxx %s -o %t && %t %t.so && %t %t.lld.so
// RUN: %memory_cxx %s -o %t && %t %t.so && %t %t.lld.so

#include <dlfcn.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef LIBRARY
extern "C" int work() {
  static int number;
  pthread_mutex_lock(&lock);
  const int next = ++number;
  pthread_mutex_unlock(&lock);
  return next;
}
#else
int main(int count, char **arguments) {
  pthread_mutex_lock(&lock);
  for (int i = 1; i < count; ++i) {
    void *library = dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL);
    auto work = reinterpret_cast<int (*)()>(library ? dlsym(library, "work") : nullptr);
    if (!work || work() != 1)
      return 1;
  }
  return pthread_mutex_unlock(&lock);
}
#endif
