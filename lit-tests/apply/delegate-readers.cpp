// Readers of a multiple-reader delegation lock stay readers; writers become operations.
// RUN: %rewrite --kind mrqd %s | FileCheck %s
// CHECK: lock  std::shared_mutex  MRQD lock  changed: 4 places
// CHECK: delegate-readers.cpp:+  std::shared_lock<qdadvise::mrqd_lock> guard(lock);
// CHECK: delegate-readers.cpp:+  lock.delegate([&] {
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <mutex>
#include <shared_mutex>
#include <thread>

std::shared_mutex lock;
int value;

int read() {
  std::shared_lock<std::shared_mutex> guard(lock);
  return value;
}
void write() {
  std::unique_lock<std::shared_mutex> guard(lock);
  ++value;
}

void work() {
  for (int i = 0; i < 1000; ++i) {
    write();
    read();
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return read() == 2000 ? 0 : 1;
}
