// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: lock 
// CHECK: timed-operation: an operation on it gives up after a while
// CHECK: posix 
// CHECK: timed-operation: an operation on it gives up after a while
// CHECK: 0 changed

#include <mutex>
#include <pthread.h>

std::timed_mutex lock;
pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;
void take(const timespec &until) {
  lock.lock();
  pthread_mutex_timedlock(&posix, &until);
}
