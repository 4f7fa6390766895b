// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: takeOne
// CHECK: gate-pointer-origin.cpp:[[# @LINE + 17]]:43: pointer-origin: a pointer to it may lead to something else (from here)
// CHECK: gate-pointer-origin.cpp:[[# @LINE + 8]]:49: pointer-origin: a pointer to it may lead to something else (from here)
// CHECK: 0 changed

#include <mutex>
#include <pthread.h>

static pthread_mutex_t named = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *lock = new pthread_mutex_t();
void choose(bool isNamed) { if (isNamed) lock = &named; }
void take() { pthread_mutex_lock(lock), pthread_mutex_unlock(lock); }

struct Finder {
  virtual std::mutex *find() = 0;
};
static std::mutex *made = new std::mutex;
void takeOne(bool isMade, Finder &finder) {
  std::lock_guard guard(*(isMade ? made : finder.find()));
}
