// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: lock {{ *}}std::mutex  QD lock  refused
// CHECK: thread-local: a section uses thread-local state, or asks which thread it is
// CHECK: second
// CHECK: thread-local: a section
// CHECK: 0 changed

#include <mutex>
#include <pthread.h>

std::mutex lock;
std::mutex second;
thread_local int mine;
pthread_t owner;
void take() {
  std::lock_guard<std::mutex> guard(lock);
  ++mine;
}
void own() {
  std::lock_guard<std::mutex> guard(second);
  owner = pthread_self();
}
