// An atomic cannot stand for these sections.
// RUN: %rewrite --refused --kind atomic %s | FileCheck %s
// CHECK: byPointer {{.*}} refused
// CHECK-NEXT: one-access: a section is not one access to one integer ('value' is reached by way of another variable)
// CHECK: callLock {{.*}} refused
// CHECK-NEXT: one-access: {{.*}} (it does something else here)
// CHECK: doubleLock {{.*}} refused
// CHECK-NEXT: one-access: {{.*}} ('precise')
// CHECK: emptyLock {{.*}} refused
// CHECK-NEXT: one-access: {{.*}} (it has none)
// CHECK: loopLock {{.*}} refused
// CHECK-NEXT: one-access: {{.*}} (it does something else here)
// CHECK: readModify {{.*}} refused
// CHECK-NEXT: one-access: {{.*}} ('value' is one more)
// CHECK: scaleLock {{.*}} refused
// CHECK-NEXT: one-access: {{.*}} ('value')
// CHECK: sharedLocal {{.*}} refused
// CHECK-NEXT: one-access: {{.*}} ('mine'), and in 1 other place
// CHECK: tryLock {{.*}} refused
// CHECK-NEXT: section-shape: {{.*}} (it is of no section that is known), and in 1 other place
// CHECK: twoLock {{.*}} refused
// CHECK-NEXT: one-access: {{.*}} ('other' is one more)
// CHECK: 0 changed, 10 refused (one-access 9, section-shape 1)
#include <mutex>
#include <thread>

int value, other;
double precise;
struct Node {
  Node *next;
  int value;
} node;
void use(int);

std::mutex readModify;
void halve() {
  std::lock_guard<std::mutex> guard(readModify);
  value = value / 2;
}
std::mutex twoLock;
void both() {
  std::lock_guard<std::mutex> guard(twoLock);
  ++value;
  ++other;
}
std::mutex scaleLock;
void scale() {
  scaleLock.lock();
  value *= 2;
  scaleLock.unlock();
}
std::mutex doubleLock;
void add(double by) {
  std::lock_guard<std::mutex> guard(doubleLock);
  precise += by;
}
std::mutex callLock;
void call() {
  std::lock_guard<std::mutex> guard(callLock);
  use(value);
}
std::mutex loopLock;
void loop(int rounds) {
  std::lock_guard<std::mutex> guard(loopLock);
  while (rounds-- > 0)
    ++value;
}
std::mutex emptyLock;
void wait() {
  emptyLock.lock();
  emptyLock.unlock();
}
std::mutex byPointer;
int chase(Node *from) {
  std::lock_guard<std::mutex> guard(byPointer);
  return from->next->value;
}
std::mutex tryLock;
bool tryIt() {
  if (!tryLock.try_lock())
    return false;
  ++value;
  tryLock.unlock();
  return true;
}
std::mutex sharedLocal;
int ask() {
  int mine = 0;
  std::thread helper([&] {
    std::lock_guard<std::mutex> guard(sharedLocal);
    mine = value;
  });
  {
    std::lock_guard<std::mutex> guard(sharedLocal);
    mine = value;
  }
  helper.join();
  return mine;
}
