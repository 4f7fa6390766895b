// In C an operation that nobody waits for takes one value with it, as its argument.
// RUN: %rewrite --kind qd --detached %s | FileCheck %s
// CHECK: lock {{.*}}; 3 of 5 operations detached{{$}}
// CHECK-NEXT: completion: {{.*}} (it takes more than one value with it), and in 1 other place
// CHECK: detached.c:+#include <stdint.h>
// CHECK: detached.c:+static void add_section(void *argument) {
// CHECK-NEXT: detached.c:+  int by = (int)(intptr_t)argument;
// CHECK: detached.c:+{{.*}}qdadvise_qd_delegate_detached(&lock, add_section, (void *)(intptr_t)by);
// CHECK: detached.c:+static void step_section(void *argument) {
// CHECK-NEXT: detached.c:+  (void)argument;
// CHECK: detached.c:+{{.*}}qdadvise_qd_delegate_detached(&lock, step_section, 0);
// CHECK: detached.c:+{{.*}}qdadvise_qd_delegate(&lock, both_section, &section);
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static const char *last;

static void add(int by) {
  pthread_mutex_lock(&lock);
  total += by; // all of it
  pthread_mutex_unlock(&lock);
}

static unsigned steps;
static void step(void) {
  pthread_mutex_lock(&lock);
  if (++steps % 2 == 0)
    total++;
  pthread_mutex_unlock(&lock);
}

static void name(const char *by) {
  pthread_mutex_lock(&lock);
  last = by;
  pthread_mutex_unlock(&lock);
}

static void both(int one, int two) {
  pthread_mutex_lock(&lock);
  total += one - two;
  pthread_mutex_unlock(&lock);
}

static long get(void) {
  long now;
  pthread_mutex_lock(&lock);
  now = last ? total : -1;
  pthread_mutex_unlock(&lock);
  return now;
}

static void *work(void *unused) {
  for (int i = 0; i < 1000; ++i) {
    add(3);
    step();
    name("work");
    both(2, 1);
  }
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return get() == 9000 ? 0 : 1;
}
