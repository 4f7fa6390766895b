// An adaptive mutex is a pthread mutex as before: condition variables wait with it, functions are
// given its address, and timed operations, macros and code that is left out stay what they are.
//
// RUN: %rewrite --kind adaptive_mutex --lock queue::lock --lock statistics %s | FileCheck %s
// CHECK: queue::lock {{ *}}pthread_mutex_t  adaptive pthread mutex  changed: 1 place
// CHECK: statistics {{ *}}pthread_mutex_t  adaptive pthread mutex  changed: 1 place
// CHECK: builds and runs:
// CHECK: again: nothing; undone

#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>

#define WITH(mutex, action)                                                                        \
  do {                                                                                             \
    pthread_mutex_lock(mutex);                                                                     \
    action;                                                                                        \
    pthread_mutex_unlock(mutex);                                                                   \
  } while (0)

struct queue {
  pthread_mutex_t lock;
  pthread_cond_t filled;
  int length;
};
static struct queue queue;
static pthread_mutex_t statistics = PTHREAD_MUTEX_INITIALIZER;
static int taken;

static void lock_it(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); }

static void *consume(void *unused) {
  pthread_mutex_lock(&queue.lock);
  while (queue.length == 0)
    pthread_cond_wait(&queue.filled, &queue.lock);
  --queue.length;
  pthread_mutex_unlock(&queue.lock);
  lock_it(&statistics);
  ++taken;
  pthread_mutex_unlock(&statistics);
  return unused;
}

int main(void) {
  pthread_t consumer;
  struct timespec until;
  pthread_mutex_init(&queue.lock, NULL);
  pthread_cond_init(&queue.filled, NULL);
  pthread_create(&consumer, NULL, consume, NULL);
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 60;
  if (pthread_mutex_timedlock(&queue.lock, &until) != 0)
    return 1;
  ++queue.length;
  pthread_cond_signal(&queue.filled);
  pthread_mutex_unlock(&queue.lock);
  pthread_join(consumer, NULL);
  WITH(&statistics, ++taken);
#ifdef TRACE
  pthread_mutex_lock(&statistics);
#endif
  return taken - 2;
}
