// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: lock {{ *}}std::mutex  QD lock  refused
// CHECK: thread-local: a section uses thread-local state, starts a thread, or asks which thread it is
// CHECK: second
// CHECK: thread-local: a section
// CHECK: starts
// CHECK: thread-local: {{.*}} (it starts a thread)
// CHECK: startsClass
// CHECK: thread-local: {{.*}} (it starts a thread)
// CHECK: 0 changed

#include <mutex>
#include <pthread.h>
#include <thread>

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
std::mutex starts;
void *run(void *);
void start() {
  std::lock_guard<std::mutex> guard(starts);
  pthread_create(&owner, nullptr, run, nullptr);
}
std::mutex startsClass;
std::thread worker;
void startClass() {
  std::lock_guard<std::mutex> guard(startsClass);
  worker = std::thread(take);
}
