// ... or by an attribute, where it is initialised by a call.
// RUN: %rewrite --kind adaptive_mutex --flags=-D_GNU_SOURCE --format 'BasedOnStyle: LLVM' %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  adaptive pthread mutex  changed: 1 place
// CHECK: c-adaptive-init.c:+    pthread_mutexattr_settype(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP);
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock;
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
  pthread_mutex_init(&lock, NULL);
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return counter == 2000 ? 0 : 1;
}
