// Operations as statements of every kind; their value is not looked at.
// RUN: %rewrite %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  MCS lock  changed: 9 places
// CHECK: c-statements.c:+      qdadvise_mcs_lock(&lock);
// CHECK-NOT: , 0)
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void change(int take) {
  switch (take) {
  case 1:
    pthread_mutex_lock(&lock);
    break;
  default:
    pthread_mutex_unlock(&lock);
  }
}

static void *work(void *unused) {
  (void)unused;
  for (int i = 0; i < 1000; ++i) {
    change(1);
    ++counter;
    change(0);
    if (i % 2)
      pthread_mutex_lock(&lock);
    else
      pthread_mutex_lock(&lock);
    do
      pthread_mutex_unlock(&lock);
    while (0);
    pthread_mutex_lock(&lock);
    goto end;
  end:
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
