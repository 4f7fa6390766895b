// The locks' classes are for C++17; before that a pthread mutex becomes a type of C.
// RUN: %rewrite --flags=-std=gnu++98 %s | FileCheck %s
// RUN: %rewrite --refused --kind qd --flags=-std=gnu++98 %s | FileCheck --check-prefix=QD %s
// CHECK: Counter::lock_  pthread_mutex_t  MCS lock  changed: 5 places
// CHECK: cxx98.cpp:+    qdadvise_mcs_lock(&lock_);
// CHECK: cxx98.cpp:+  static qdadvise_mcs lock_;
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
// QD: no-form: the target has no form that can stand for a lock of this type (before C++17)
#include <pthread.h>
#include <stddef.h>

class Counter {
public:
  static int add(int by) {
    pthread_mutex_lock(&lock_);
    const int now = value_ += by;
    pthread_mutex_unlock(&lock_);
    return now;
  }

private:
  static pthread_mutex_t lock_;
  static int value_;
};

pthread_mutex_t Counter::lock_ = PTHREAD_MUTEX_INITIALIZER;
int Counter::value_;

void *work(void *) {
  for (int i = 0; i < 1000; ++i)
    Counter::add(1);
  return NULL;
}

int main() {
  pthread_t other;
  pthread_create(&other, NULL, work, NULL);
  work(NULL);
  pthread_join(other, NULL);
  return Counter::add(0) == 2000 ? 0 : 1;
}
