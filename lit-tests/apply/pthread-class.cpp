// pthread_mutex_t in C++ becomes a class; its constructor and destructor are empty then.
// RUN: %rewrite %s | FileCheck %s
// CHECK: Journal::lock_  pthread_mutex_t  MCS lock  changed: 5 places
// CHECK: pthread-class.cpp:-  Journal() { pthread_mutex_init(&lock_, nullptr); }
// CHECK: pthread-class.cpp:+  Journal() {}
// CHECK: pthread-class.cpp:+    lock_.lock(); // kept
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <pthread.h>
#include <thread>

class Journal {
public:
  Journal() { pthread_mutex_init(&lock_, nullptr); }
  ~Journal() { pthread_mutex_destroy(&lock_); }
  void append() {
    pthread_mutex_lock(&lock_); // kept
    ++length;
    pthread_mutex_unlock(&this->lock_);
  }
  int length = 0;

private:
  pthread_mutex_t lock_;
};
Journal journal;

void work() {
  for (int i = 0; i < 1000; ++i) {
    journal.append();
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return journal.length == 2000 ? 0 : 1;
}
