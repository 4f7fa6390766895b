// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: own {{ *}}Mutex {{ *}}MCS lock  refused
// CHECK: lock-type: its type is not one that is rewritten ('Mutex')
// CHECK: 0 changed

#include <mutex>

class Mutex {
public:
  void lock() { inner_.lock(); }
  void unlock() { inner_.unlock(); }
  std::mutex &inner() { return inner_; }

private:
  std::mutex inner_;
};
Mutex own;
void take() { std::lock_guard<Mutex> guard(own); }
