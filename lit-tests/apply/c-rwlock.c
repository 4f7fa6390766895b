// A mutex in C as a reader-writer lock.
// RUN: %rewrite --kind pthread_rwlock %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  pthread rwlock  changed: 4 places
// CHECK: c-rwlock.c:+    pthread_rwlock_wrlock(&lock);
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *work(void *unused) {
  (void)unused;
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&lock);
    ++counter;
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return counter == 2000 ? 0 : 1;
}
