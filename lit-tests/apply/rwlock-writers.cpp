// pthread_rwlock_t without readers.
// RUN: %rewrite --kind spinlock %s | FileCheck %s
// CHECK: lock  pthread_rwlock_t  spinlock  changed: 4 places
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <pthread.h>
#include <thread>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int counter;

void work() {
  for (int i = 0; i < 1000; ++i) {
    pthread_rwlock_wrlock(&lock);
    ++counter;
    pthread_rwlock_unlock(&lock);
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return counter == 2000 ? 0 : 1;
}
