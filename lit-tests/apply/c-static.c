// In C it becomes a type with functions, of a library.
// RUN: %rewrite %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  MCS lock  changed: 4 places
// CHECK: link with -L PREFIX/lib -lqdadvise_locks
// CHECK: c-static.c:+#include <qdadvise/locks/locks_c.h>
// CHECK: c-static.c:+static qdadvise_mcs lock = QDADVISE_MCS_INITIALIZER;
// CHECK: c-static.c:+    qdadvise_mcs_lock(&lock);
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
