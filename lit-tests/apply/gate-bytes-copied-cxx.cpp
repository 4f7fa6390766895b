// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: bytes-copied: the object that holds it is copied or overwritten as bytes ({{.*}}), and in 5 other places
// CHECK: 0 changed

#include <cstring>
#include <pthread.h>
#include <utility>

struct Base {
  pthread_mutex_t lock;
};
struct Slot : Base {};
void take(Slot &one, Slot &other) {
  pthread_mutex_lock(&one.lock);
  Slot copy = one;
  one = other;
  std::memset(static_cast<void *>(&copy), 0, sizeof copy);
  pthread_mutex_unlock(&one.lock);
}
