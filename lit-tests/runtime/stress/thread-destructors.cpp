// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-local objects lock as they are destroyed, and so do those that the destructor of another
// brings into being. What comes in the last round of destructors, when the recorder has let the
// thread go, is counted as lost.
//
// RUN: %clangxx -O1 %s -o %t.plain
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -O1 %s -o %t
// RUN: %clangxx --config=%cfgdir/profile-call.cfg -fsanitize=address -O1 %s -o %t.asan
// RUN: %python %S/../Inputs/same.py %t.qdprof %t.plain %t %t.asan | FileCheck %s
// RUN: %python %S/../Inputs/same.py --preload %libdir/libqdadvise_unseen.so %t.qdprof \
// RUN:   %t.plain %t %t.asan | FileCheck %s
//
// CHECK: events 2300 dropped 300 unmatched 0
// CHECK: threads {{[0-9]+}} most
#include <climits>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <thread>

static std::mutex mutex;
static int destroyed = 0;

static void count() {
  const std::lock_guard<std::mutex> guard(mutex);
  ++destroyed;
}

struct Late {
  Late() { count(); }
  ~Late() { count(); }
};
struct Early {
  ~Early() {
    thread_local Late late;
    count();
  }
};

static pthread_key_t key;

int main() {
  // The last of all: again and again, as often as POSIX promises.
  pthread_key_create(&key, [](void *round) {
    count();
    const auto next = reinterpret_cast<std::uintptr_t>(round) + 1;
    if (next <= PTHREAD_DESTRUCTOR_ITERATIONS)
      pthread_setspecific(key, reinterpret_cast<void *>(next));
  });
  for (int i = 0; i < 100; ++i)
    std::thread([] {
      thread_local Early early;
      (void)&early;
      pthread_setspecific(key, reinterpret_cast<void *>(std::uintptr_t{1}));
      count();
    }).join();
  std::printf("%d\n", destroyed);
}
