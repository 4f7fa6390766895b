// An array of locks from malloc, and pointers to them that go through results and parameters.
// RUN: %rewrite --kind spinlock %s | FileCheck %s
// CHECK: item_locks                       pthread_mutex_t  spinlock  changed: 10 places in {{.*}}c-pointer-array.c
// CHECK: item_locks[...] in work(void *)                   spinlock  changed: with 'item_locks', which it is
// CHECK: lock in item_trylock(int)        pthread_mutex_t  spinlock  changed: with 'item_locks', which it is
// CHECK: c-pointer-array.c:+static qdadvise_spinlock *item_locks;
// CHECK: c-pointer-array.c:+  qdadvise_spinlock *lock = &item_locks[item % 8];
// CHECK: c-pointer-array.c:+  return (qdadvise_spinlock_try_lock(lock) ? 0 : EBUSY) == 0 ? lock : NULL;
// CHECK: c-pointer-array.c:+{{.*}} qdadvise_spinlock_unlock((qdadvise_spinlock *)lock);
// CHECK: c-pointer-array.c:+      qdadvise_spinlock_lock(&item_locks[i % 8]);
// CHECK: c-pointer-array.c:+  item_locks = calloc(8, sizeof(qdadvise_spinlock));
// CHECK: c-pointer-array.c:+    qdadvise_spinlock_init(&item_locks[i]);
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *item_locks;
static int values[8];

static void *item_trylock(int item) {
  pthread_mutex_t *lock = &item_locks[item % 8];
  return pthread_mutex_trylock(lock) == 0 ? lock : NULL;
}

static void item_trylock_unlock(void *lock) {
  pthread_mutex_unlock((pthread_mutex_t *)lock);
}

static void *work(void *ignored) {
  (void)ignored;
  for (int i = 0; i < 1000; ++i) {
    void *held = NULL;
    if ((held = item_trylock(i)) == NULL) {
      pthread_mutex_lock(&item_locks[i % 8]);
      ++values[i % 8];
      pthread_mutex_unlock(&item_locks[i % 8]);
      continue;
    }
    ++values[i % 8];
    if (held)
      item_trylock_unlock(held);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  int sum = 0;
  item_locks = calloc(8, sizeof(pthread_mutex_t));
  if (!item_locks)
    return 1;
  for (int i = 0; i < 8; ++i)
    pthread_mutex_init(&item_locks[i], NULL);
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  for (int i = 0; i < 8; ++i)
    sum += values[i];
  free(item_locks);
  return sum == 2000 ? 0 : 1;
}
