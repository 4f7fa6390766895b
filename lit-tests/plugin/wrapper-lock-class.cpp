// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a class that is named as a lock has inside is its own business: the lock is the
// object. A class that is no lock has one.

// RUN: %call_cxx -O2 %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %patch_cxx -O2 %s -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include <pthread.h>

class RWLock {
public:
  void lockWriter() { pthread_rwlock_wrlock(&inner); }
  void unlockWriter() { pthread_rwlock_unlock(&inner); }

private:
  pthread_rwlock_t inner = PTHREAD_RWLOCK_INITIALIZER;
};

class Writing {
public:
  explicit Writing(RWLock &lock) : held(lock) { held.lockWriter(); }
  ~Writing() { held.unlockWriter(); }

private:
  RWLock &held;
};

struct Shelf {
  RWLock books;
  pthread_mutex_t rest = PTHREAD_MUTEX_INITIALIZER;
  void open() { pthread_mutex_lock(&rest); }
  void close() { pthread_mutex_unlock(&rest); }
};

int main() {
  Shelf shelf;
  // CHECK-DAG: site wrapper wrapper-lock-class.cpp:[[#@LINE+1]]:3 main() | shelf.books | Shelf::books | RWLock
  shelf.books.lockWriter();
  shelf.books.unlockWriter();
  {
    // CHECK-DAG: site wrapper wrapper-lock-class.cpp:[[#@LINE+1]]:5 main() | shelf.books | Shelf::books | RWLock
    Writing writing(shelf.books);
  }
  // CHECK-DAG: site wrapper wrapper-lock-class.cpp:[[#@LINE+1]]:3 main() | shelf.rest | Shelf::rest | pthread_mutex_t
  shelf.open();
  shelf.close();
}
