// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: Holder::inner
// CHECK: template: it is declared or used in a template
// CHECK: Table<int>::lock
// CHECK: template: it is declared or used in a template
// CHECK: 0 changed

#include <mutex>

template <typename T> struct Table {
  std::mutex lock;
  void take() { std::lock_guard<std::mutex> guard(lock); }
};
template <typename M> void takeAny(M &holder) { std::lock_guard<std::mutex> guard(holder.inner); }
struct Holder {
  std::mutex inner;
};
void take(Table<int> &table, Holder &holder) {
  table.take();
  takeAny(holder);
}
