// A condition variable of the standard library becomes the one that waits with every lock; so does
// one of a class that has the lock of another.
// RUN: %rewrite --kind mcs %s | FileCheck %s
// RUN: %rewrite --kind qd %s | FileCheck --check-prefix=QD %s
// CHECK: Mutex::lock_  std::mutex  MCS lock  changed: 3 places
// CHECK: lock {{ *}}std::mutex  MCS lock  changed: 4 places
// CHECK: condition-any.cpp:+  std::condition_variable_any condition_;
// CHECK: condition-any.cpp:+std::condition_variable_any ready;
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
// QD: lock {{ *}}std::mutex  QD lock {{ *}}changed: {{.*}}; 1 of 2 sections delegated
// QD: builds and runs:
#include <condition_variable>
#include <mutex>
#include <thread>

class Mutex {
public:
  void Lock() { lock_.lock(); }
  void Unlock() { lock_.unlock(); }

private:
  friend class Condition;
  std::mutex lock_;
};

class Condition {
public:
  explicit Condition(Mutex *mutex) : mutex_(mutex) {}
  void Wait() {
    std::unique_lock<std::mutex> guard(mutex_->lock_, std::adopt_lock);
    condition_.wait(guard);
    guard.release();
  }
  void Signal() { condition_.notify_all(); }

private:
  std::condition_variable condition_;
  Mutex *const mutex_;
};

std::mutex lock;
std::condition_variable ready;
int turns;
Mutex other;
Condition changed(&other);
int value;

void give() {
  std::lock_guard<std::mutex> guard(lock);
  ++turns;
  ready.notify_one();
}
void take() {
  std::unique_lock<std::mutex> guard(lock);
  ready.wait(guard, [] { return turns > 0; });
  --turns;
}

int main() {
  std::thread thread([] {
    for (int i = 0; i < 100; ++i)
      give();
    other.Lock();
    value = 7;
    changed.Signal();
    other.Unlock();
  });
  for (int i = 0; i < 100; ++i)
    take();
  other.Lock();
  while (value == 0)
    changed.Wait();
  other.Unlock();
  thread.join();
  return turns == 0 && value == 7 ? 0 : 1;
}
