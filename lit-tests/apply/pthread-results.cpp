// Values of operations that somebody looks at.
// RUN: %rewrite %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  MCS lock  changed: 6 places
// CHECK: pthread-results.cpp:+#include <cerrno>
// CHECK: pthread-results.cpp:+    while ((lock.try_lock() ? 0 : EBUSY) != 0)
// CHECK: pthread-results.cpp:+    if ((lock.unlock(), 0) != 0)
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <cstdlib>
#include <pthread.h>
#include <thread>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    while (pthread_mutex_trylock(&lock) != 0)
      std::this_thread::yield();
    ++counter;
    if (pthread_mutex_unlock(&lock) != 0)
      abort();
    if (int error = pthread_mutex_lock(&lock))
      exit(error);
    pthread_mutex_unlock(&lock);
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
