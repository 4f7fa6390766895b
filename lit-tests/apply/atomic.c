// In C an integer becomes `_Atomic`, also one of a struct, in all files.
// RUN: %rewrite --kind atomic %s | FileCheck %s
// CHECK: pool::lock {{.*}} changed: {{.*}}; atomic: pool::used{{$}}
// CHECK: totalLock {{.*}} atomic: bytes, calls{{$}}
// CHECK: 2 changed, 0 refused
// CHECK: atomic.c:-  pthread_mutex_t lock;
// CHECK-NEXT: atomic.c:-  size_t used;
// CHECK-NEXT: atomic.c:+  _Atomic size_t used;
// CHECK: atomic.c:-  pthread_mutex_init(&pool->lock, NULL);
// CHECK-NOT: atomic.c:{{.}}  pool->
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct pool {
  pthread_mutex_t lock;
  size_t used;
  size_t size;
};

static struct {
  long calls;
  unsigned long long bytes;
} stats;
static pthread_mutex_t totalLock = PTHREAD_MUTEX_INITIALIZER;

static struct pool *make(size_t size) {
  struct pool *pool = calloc(1, sizeof *pool);
  if (!pool)
    abort();
  pthread_mutex_init(&pool->lock, NULL);
  pool->used = 0;
  pool->size = size;
  return pool;
}

static void drop(struct pool *pool) {
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

/* What was used before. */
static size_t take(struct pool *pool, size_t bytes) {
  pthread_mutex_lock(&pool->lock);
  size_t before = pool->used;
  pthread_mutex_unlock(&pool->lock);
  pthread_mutex_lock(&pool->lock);
  pool->used += bytes;
  pthread_mutex_unlock(&pool->lock);
  pthread_mutex_lock(&totalLock);
  stats.calls++;
  pthread_mutex_unlock(&totalLock);
  pthread_mutex_lock(&totalLock);
  stats.bytes += bytes;
  pthread_mutex_unlock(&totalLock);
  return before;
}

static void *work(void *pool) {
  for (int i = 0; i < 1000; ++i)
    take(pool, 3);
  return NULL;
}

int main(void) {
  struct pool *pool = make(6000);
  pthread_t other;
  pthread_create(&other, NULL, work, pool);
  work(pool);
  pthread_join(other, NULL);
  if (pool->used != pool->size)
    printf("%zu of %zu\n", pool->used, pool->size);
  const int isGood = pool->used == 6000 && stats.calls == 2000 && stats.bytes == 6000;
  drop(pool);
  return isGood ? 0 : 1;
}
