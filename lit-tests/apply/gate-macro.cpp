// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: declared
// CHECK: macro: a macro would have to be changed
// CHECK: lock
// CHECK: macro: a macro would have to be changed
// CHECK: named
// CHECK: macro: a macro would have to be changed
// CHECK: posix
// CHECK: macro: a macro would have to be changed
// CHECK: 0 changed

#include <mutex>
#include <pthread.h>

#define TAKE(name) std::lock_guard<std::mutex> guard(name)
#define DECLARED std::mutex
#define TAKE_IT() pthread_mutex_lock(&posix)
#define NEVER_USED() pthread_mutex_lock(&named)
std::mutex lock;
DECLARED declared;
pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t named = PTHREAD_MUTEX_INITIALIZER;
void take() {
  TAKE(lock);
  declared.lock();
  TAKE_IT();
  pthread_mutex_unlock(&posix);
  pthread_mutex_lock(&named);
}
