// Outside of a constructor a lock that is initialised is constructed anew.
// RUN: %rewrite %s | FileCheck %s
// CHECK: Slot::lock  pthread_mutex_t  MCS lock  changed: 5 places
// CHECK: pthread-init.cpp:+#include <new>
// CHECK: pthread-init.cpp:+  new (&slot->lock) qdadvise::mcs_lock();
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <cstdlib>
#include <pthread.h>
#include <thread>

struct Slot {
  int value;
  pthread_mutex_t lock;
};
Slot *slot;

void open() {
  slot = static_cast<Slot *>(calloc(1, sizeof(Slot)));
  pthread_mutex_init(&slot->lock, NULL);
}

void work() {
  for (int i = 0; i < 1000; ++i) {
    pthread_mutex_lock(&slot->lock);
    ++slot->value;
    pthread_mutex_unlock(&slot->lock);
  }
}

int main() {
  open();
  std::thread other(work);
  work();
  other.join();
  const bool good = slot->value == 2000;
  pthread_mutex_destroy(&slot->lock);
  free(slot);
  return good ? 0 : 1;
}
