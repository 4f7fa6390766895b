// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: bytes-copied: the object that holds it is copied or overwritten as bytes (it is copied), and in 2 other places
// CHECK: 0 changed

#include <pthread.h>
#include <string.h>

struct assigned {
  pthread_mutex_t lock;
};
struct moved {
  struct assigned inner[2];
};
static void take(struct assigned *one, struct moved *other, struct moved *third) {
  pthread_mutex_lock(&one->lock);
  *one = other->inner[1];
  memcpy(other, third, sizeof(*other));
  pthread_mutex_unlock(&one->lock);
}

int main(void) {
  struct assigned one = {PTHREAD_MUTEX_INITIALIZER};
  struct moved other, third;
  memset(&other, 0, sizeof other);
  memset(&third, 0, sizeof third);
  take(&one, &other, &third);
}
