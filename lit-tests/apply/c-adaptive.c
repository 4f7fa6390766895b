// An adaptive mutex is one by its initialiser.
// RUN: %rewrite --kind adaptive_mutex --flags=-D_GNU_SOURCE %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  adaptive pthread mutex  changed: 1 place
// CHECK: c-adaptive.c:+static pthread_mutex_t lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
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
