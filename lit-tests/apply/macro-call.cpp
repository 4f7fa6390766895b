// A macro that is nothing else than the call is left alone, and its use is changed.
// RUN: %rewrite %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  MCS lock  changed: 4 places
// CHECK: macro-call.cpp:+    lock.lock();
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <pthread.h>
#include <thread>

#define LOCK(mutex) pthread_mutex_lock(mutex)
#define UNLOCK(mutex) pthread_mutex_unlock(mutex)
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    LOCK(&lock);
    ++counter;
    UNLOCK(&lock);
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
