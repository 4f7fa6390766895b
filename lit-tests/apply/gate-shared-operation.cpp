// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: lock 
// CHECK: shared-operation: readers share it, and the target has no readers
// CHECK: posix 
// CHECK: shared-operation: readers share it, and the target has no readers
// CHECK: 0 changed

#include <pthread.h>
#include <shared_mutex>

std::shared_mutex lock;
pthread_rwlock_t posix = PTHREAD_RWLOCK_INITIALIZER;
void take() {
  std::shared_lock<std::shared_mutex> guard(lock);
  pthread_rwlock_rdlock(&posix);
  pthread_rwlock_unlock(&posix);
}
