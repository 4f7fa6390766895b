// Sections that take another lock, where that may end in a circle of waiting threads.
// RUN: %rewrite --refused --lock circle --lock handing --lock loose --lock noOrder --lock unseen --lock waiting --kind qd %s | FileCheck %s
// CHECK: circle {{ *}}std::mutex  QD lock  refused
// CHECK: inner-lock: a section takes another lock, and that is not known to be safe ('circle' may be taken under what it takes)
// CHECK: handing {{.*}} refused
// CHECK-NEXT: inner-lock: {{.*}} (it is not seen that it gives up what it takes)
// CHECK: loose {{.*}} refused
// CHECK-NEXT: inner-lock: {{.*}} ('known' may be taken elsewhere, too)
// CHECK: noOrder {{.*}} refused
// CHECK: inner-lock: {{.*}} ('noOrder' may be taken under what it takes)
// CHECK: unseen {{.*}} refused
// CHECK-NEXT: inner-lock: {{.*}} (not all is in sight that is done under 'called')
// CHECK: waiting {{.*}} refused
// CHECK-NEXT: inner-lock: {{.*}} (a thread may wait under 'sleeping')
// CHECK: 6 refused

#include <chrono>
#include <mutex>
#include <thread>

int value;

// A third lock and functions close this circle.
std::mutex circle;
std::mutex middle;
std::mutex last;
void takeMiddle() { std::lock_guard<std::mutex> guard(middle); }
void underCircle() {
  std::lock_guard<std::mutex> guard(circle);
  takeMiddle();
}
void underMiddle() {
  std::lock_guard<std::mutex> guard(middle);
  std::lock_guard<std::mutex> more(last);
}
void takeCircle() {
  for (;;) {
    std::lock_guard<std::mutex> guard(circle);
    if (++value > 0)
      break;
  }
}
void underLast() {
  last.lock();
  takeCircle();
  last.unlock();
}

// Hand over hand: the inner lock stays.
std::mutex handing;
std::mutex handed;
void hand() {
  handing.lock();
  handed.lock();
  ++value;
  handing.unlock();
  handed.unlock();
}

std::mutex loose;
std::mutex known;
std::mutex *const everybody = &known;
void underLoose() {
  std::lock_guard<std::mutex> guard(loose);
  std::lock_guard<std::mutex> more(known);
}

std::mutex unseen;
std::mutex called;
extern void elsewhere();
void underUnseen() {
  std::lock_guard<std::mutex> guard(unseen);
  std::lock_guard<std::mutex> more(called);
}
void call() {
  std::lock_guard<std::mutex> guard(called);
  elsewhere();
}

std::mutex waiting;
std::mutex sleeping;
void underWaiting() {
  std::lock_guard<std::mutex> guard(waiting);
  std::lock_guard<std::mutex> more(sleeping);
}
void sleep() {
  std::lock_guard<std::mutex> guard(sleeping);
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

// Both at once have no order.
std::mutex noOrder;
std::mutex atOnce;
void both() { std::scoped_lock guard(noOrder, atOnce); }
void underNoOrder() {
  std::lock_guard<std::mutex> guard(noOrder);
  std::lock_guard<std::mutex> more(atOnce);
}
