// Initialisers: of a variable, of an array, in a struct, of a member.
// RUN: %rewrite --kind spinlock %s | FileCheck %s
// CHECK: Held::lock
// CHECK-SAME: changed: 4 places
// CHECK: Pair::lock
// CHECK-SAME: changed: 4 places
// CHECK: global
// CHECK-SAME: changed: 4 places
// CHECK: several
// CHECK-SAME: changed: 5 places
// CHECK: pthread-static.cpp:+qdadvise::spinlock global; // first
// CHECK: pthread-static.cpp:+static qdadvise::spinlock several[2] = {{.*}};
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <pthread.h>
#include <thread>

pthread_mutex_t global = PTHREAD_MUTEX_INITIALIZER; // first
static pthread_mutex_t several[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
struct Pair {
  pthread_mutex_t lock;
  int value;
};
static Pair pair = {PTHREAD_MUTEX_INITIALIZER, 0};
struct Held {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int value = 0;
};
Held held;

void work() {
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&pair.lock);
    pthread_mutex_lock(&held.lock);
    pthread_mutex_lock(&global);
    pthread_mutex_lock(&several[1]);
    ++pair.value;
    pthread_mutex_unlock(&several[1]);
    pthread_mutex_unlock(&global);
    pthread_mutex_unlock(&held.lock);
    pthread_mutex_unlock(&pair.lock);
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return pair.value == 2000 ? 0 : 1;
}
