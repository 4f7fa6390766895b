// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: lock   std::mutex       MCS lock  refused
// CHECK: condition-variable: a condition variable waits with it ({{.*}}), and in 1 other place
// CHECK: posix  pthread_mutex_t  MCS lock  refused
// CHECK: condition-variable: a condition variable waits with it
// CHECK: 0 changed

#include <condition_variable>
#include <mutex>
#include <pthread.h>

std::mutex lock;
pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t ready;
bool isReady;

void wait(std::condition_variable &condition, std::condition_variable *other) {
  std::unique_lock<std::mutex> guard(lock);
  condition.wait(guard, [] { return isReady; });
  other->wait(guard);
  pthread_mutex_lock(&posix);
  pthread_cond_wait(&ready, &posix);
  pthread_mutex_unlock(&posix);
}
