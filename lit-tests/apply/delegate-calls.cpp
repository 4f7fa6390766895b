// Sections between calls become operations in C++, too; what follows an early end runs behind it,
// and a variable that is used after the section is declared before it.
// RUN: %rewrite --kind qd --format 'BasedOnStyle: LLVM' %s | FileCheck %s
// CHECK: Index::lock_ {{ *}}std::mutex {{ *}}QD lock  changed:
// CHECK: posix {{ *}}pthread_mutex_t  QD lock  changed:
// CHECK: delegate-calls.cpp:+    lock_.delegate([&] {
// CHECK: delegate-calls.cpp:+    if (lock_.delegate([&] {
// CHECK: delegate-calls.cpp:+            return true;
// CHECK: delegate-calls.cpp:+          return false;
// CHECK: delegate-calls.cpp:+  int seen;
// CHECK-NEXT: delegate-calls.cpp:+  posix.delegate([&] {
// CHECK: sectionExit == 2
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <mutex>
#include <pthread.h>
#include <thread>

class Index {
public:
  void add(int by) {
    lock_.lock();
    value_ += by; // all
    lock_.unlock();
  }
  int take(int most) {
    lock_.lock();
    if (value_ > most) {
      value_ -= most;
      lock_.unlock();
      return most;
    }
    value_ += 0;
    lock_.unlock();
    return 0;
  }

private:
  std::mutex lock_;
  int value_ = 0;
};

Index table;
pthread_mutex_t posix = PTHREAD_MUTEX_INITIALIZER;
int count;

int next() {
  pthread_mutex_lock(&posix);
  int seen = count++;
  pthread_mutex_unlock(&posix);
  return seen;
}

int several(int key) {
  pthread_mutex_lock(&posix);
  if (key == 0) {
    pthread_mutex_unlock(&posix);
    return 10;
  }
  if (key == 1) {
    pthread_mutex_unlock(&posix);
    return 11;
  }
  ++count;
  pthread_mutex_unlock(&posix);
  return 12;
}

void work() {
  for (int i = 0; i < 1000; ++i) {
    table.add(2);
    next();
    several(i % 3);
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return table.take(4000) == 0 && table.take(3999) == 3999 && next() == 2666 && several(0) == 10 &&
                 several(1) == 11 && several(2) == 12
             ? 0
             : 1;
}
