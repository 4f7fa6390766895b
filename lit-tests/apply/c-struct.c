// init and destroy, arrays, values that are looked at, memory of calloc.
// RUN: %rewrite --kind spinlock %s | FileCheck %s
// CHECK: bucket::lock  pthread_mutex_t  spinlock  changed: 7 places
// CHECK: c-struct.c:+    while (!qdadvise_spinlock_try_lock(/* mine */ &own->lock))
// CHECK: c-struct.c:+    if ((qdadvise_spinlock_init(&table[i].lock), 0) != 0)
// CHECK: c-struct.c:-    pthread_mutex_destroy(&table[i].lock);
// CHECK-NEXT: c-struct.c:+    (void)0;
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct bucket {
  pthread_mutex_t lock;
  int counter;
};
static struct bucket *table;

static void *work(void *unused) {
  (void)unused;
  for (int i = 0; i < 1000; ++i) {
    struct bucket *own = &table[1];
    while (pthread_mutex_trylock(/* mine */ &own->lock))
      ;
    ++own->counter;
    if (pthread_mutex_unlock(&own->lock))
      abort();
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  table = calloc(2, sizeof(*table));
  for (int i = 0; i < 2; ++i)
    if (pthread_mutex_init(&table[i].lock, NULL) != 0)
      abort();
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  const int sum = table[1].counter;
  for (int i = 0; i < 2; ++i)
    pthread_mutex_destroy(&table[i].lock);
  free(table);
  return sum == 2000 ? 0 : 1;
}
