// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A guard's release and the release of the same object inside it are one: none is left
// over, and a recursive lock loses one level only.

// RUN: %clangxx --config=%cfgdir/profile-call.cfg -O0 %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t
// RUN: %qdadvise report --format json %t.qdprof | FileCheck %s

#include <pthread.h>

class __attribute__((capability("mutex"))) Mutex {
public:
  Mutex() {
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &recursive);
  }
  void Lock() __attribute__((acquire_capability())) { pthread_mutex_lock(&mutex); }
  void Unlock() __attribute__((release_capability())) { pthread_mutex_unlock(&mutex); }

private:
  pthread_mutex_t mutex;
};
class __attribute__((scoped_lockable)) MutexLock {
public:
  explicit MutexLock(Mutex *m) __attribute__((acquire_capability(m))) : mutex(m) { m->Lock(); }
  ~MutexLock() __attribute__((release_capability())) { mutex->Unlock(); }

private:
  Mutex *mutex;
};

Mutex mutex;
int count;

int main() {
  for (int i = 0; i < 100; ++i) {
    MutexLock lock(&mutex);
    MutexLock again(&mutex);
    ++count;
  }
}
// CHECK: "unmatched": {{0}}
// CHECK: "name": "mutex"
// CHECK: "acquisitions": 100,
