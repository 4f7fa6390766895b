// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: lock 
// CHECK: handed-on: it is handed to a function ('own(std::mutex &)')
// CHECK: posix 
// CHECK: handed-on: it is handed to a function ('ownPosix(pthread_mutex_t *)')
// CHECK: 0 changed

#include <mutex>
#include <pthread.h>

std::mutex lock;
pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;
void own(std::mutex &);
void ownPosix(pthread_mutex_t *);
void take() {
  own(lock);
  ownPosix(&posix);
}
