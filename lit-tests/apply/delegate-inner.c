// Sections that take other locks become operations where all locks have an order: the helper takes
// and gives them up.
// RUN: %rewrite --kind qd --lock outer %s | FileCheck %s
// CHECK: outer {{.*}} QD lock  changed: {{[0-9]+}} places in delegate-inner.c{{$}}
// CHECK: delegate-inner.c:+{{.*}}qdadvise_qd_delegate(&outer, move_section, 0);
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

// Where the inner lock changes in the same text, the section takes the outer one as before.
// RUN: %qdadvise apply -p %t --kind qd --dry-run | FileCheck %s --check-prefix=BOTH
// BOTH: inner {{.*}} changed
// BOTH: outer {{.*}} changed: {{.*}}; 1 of 2 sections delegated
// BOTH-NEXT: inner-lock: {{.*}} (which changes, too, within the same text)
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static long left = 2000, right, moves;

static void count(void) {
  pthread_mutex_lock(&inner);
  ++moves;
  pthread_mutex_unlock(&inner);
}

static void move(void) {
  pthread_mutex_lock(&outer);
  --left;
  if (left % 2 == 0) {
    pthread_mutex_lock(&inner);
    --moves;
    pthread_mutex_unlock(&inner);
  }
  count();
  ++right;
  pthread_mutex_unlock(&outer);
}

static void only(void) {
  pthread_mutex_lock(&outer);
  count();
  pthread_mutex_unlock(&outer);
}

static void *work(void *unused) {
  for (int i = 0; i < 1000; ++i) {
    move();
    only();
  }
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return left == 0 && right == 2000 && moves == 3000 ? 0 : 1;
}
