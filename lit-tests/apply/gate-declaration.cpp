// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: Both::inUnion
// CHECK: declaration: its declaration cannot be changed by itself (it is in a union)
// CHECK: first
// CHECK: declaration: its declaration cannot be changed by itself (several names in one declaration)
// CHECK: made
// CHECK: declaration: {{.*}}several names
// CHECK: second
// CHECK: declaration: {{.*}}several names
// CHECK: third
// CHECK: declaration: {{.*}}its type is not written
// CHECK: 0 changed

#include <mutex>
#include <pthread.h>

std::mutex first, second;
union Both {
  pthread_mutex_t inUnion;
  int value;
};
__typeof__(std::mutex) third;
static std::mutex *made = new std::mutex, named;
void take(Both &both) {
  std::scoped_lock guard(first, second, third);
  pthread_mutex_lock(&both.inUnion);
  made->lock();
  named.lock();
}
