// A name in code that is left out counts where it may be the lock's: not as a member of something
// else, nor as a member where the lock is a variable.
// RUN: %rewrite %s | FileCheck %s
// CHECK: first::mutex   pthread_mutex_t  MCS lock  changed
// CHECK: mutex {{ *}}pthread_mutex_t  MCS lock  changed
// CHECK: second::mutex  pthread_mutex_t  MCS lock  refused
// CHECK-NEXT: inactive-code
// CHECK: 2 changed, 1 refused
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <pthread.h>
#include <stddef.h>

struct first {
  pthread_mutex_t mutex;
};
struct second {
  pthread_mutex_t mutex;
};
static struct first one = {PTHREAD_MUTEX_INITIALIZER};
static struct second stats = {PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int value;

static void *work(void *unused) {
  (void)unused;
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&one.mutex);
    pthread_mutex_lock(&stats.mutex);
    pthread_mutex_lock(&mutex);
#ifdef MORE
    pthread_mutex_unlock(&stats.mutex);
    pthread_mutex_lock(&stats.mutex);
#endif
    ++value;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&stats.mutex);
    pthread_mutex_unlock(&one.mutex);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return value == 2000 ? 0 : 1;
}
