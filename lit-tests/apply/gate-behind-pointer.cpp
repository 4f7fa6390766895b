// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: behind-pointer: this lock is reached by a pointer only
// CHECK: 0 changed

#include <pthread.h>

void take(pthread_mutex_t *lock) {
  pthread_mutex_lock(lock);
  pthread_mutex_unlock(lock);
}
