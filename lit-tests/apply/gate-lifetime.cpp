// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: Hidden::lock
// CHECK: lifetime: it may be destroyed while a helper is still in it
// CHECK: main()::local
// CHECK: lifetime: it may be destroyed while a helper is still in it
// CHECK: 0 changed

#include <mutex>

class Hidden {
  friend void take(Hidden &);
  std::mutex lock;
};
void take(Hidden &hidden) { std::lock_guard<std::mutex> guard(hidden.lock); }
int main() {
  std::mutex local;
  std::lock_guard<std::mutex> guard(local);
}
