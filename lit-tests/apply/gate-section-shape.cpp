// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: behind {{ *}}std::mutex  QD lock  refused
// CHECK: section-shape: {{.*}} (what follows it cannot be moved behind it)
// CHECK: chosen
// CHECK: section-shape: {{.*}} ('which', which says which lock it is, may change)
// CHECK: halves
// CHECK: section-shape: a section has no shape that an operation could have (it does not end in the block where it begins)
// CHECK: inner
// CHECK: section-shape: {{.*}} (another operation on a lock)
// CHECK: mixed
// CHECK: section-shape: {{.*}} (a branch gives up the lock, and another does not)
// CHECK: second
// CHECK: section-shape: {{.*}} (the guard is named again)
// CHECK: tried
// CHECK: section-shape: {{.*}} (it has no section)
// CHECK: used
// CHECK: section-shape: {{.*}} ('name' is declared in it and used after it)
// CHECK: 0 changed

#include <mutex>
#include <string>

int value;
std::mutex halves;
void begin() {
  halves.lock();
  ++value;
}
void end() { halves.unlock(); }
std::mutex second;
void twice() {
  std::unique_lock<std::mutex> guard(second);
  ++value;
  guard.unlock();
}
std::mutex mixed;
void maybe(bool early) {
  mixed.lock();
  if (early)
    mixed.unlock();
  ++value;
  if (!early)
    mixed.unlock();
}
std::mutex chosen[2];
void choose(int which) {
  chosen[which].lock();
  which = 0;
  chosen[which].unlock();
}
std::mutex inner;
void nested() {
  inner.lock();
  inner.try_lock();
  inner.unlock();
}
std::mutex behind;
void loops() {
  behind.lock();
  while (value) {
    if (--value == 7) {
      behind.unlock();
      break;
    }
  }
  behind.unlock();
}
std::mutex tried;
bool attempt() { return tried.try_lock(); }
std::mutex used;
std::string text() {
  used.lock();
  std::string name = "x";
  used.unlock();
  return name;
}
