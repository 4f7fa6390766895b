// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: gate-pointer-escapes.cpp:[[# @LINE + 15]]:24: pointer-escapes: a pointer to it goes where it is not followed (it is named here)
// CHECK: gate-pointer-escapes.cpp:[[# @LINE + 19]]:46: pointer-escapes: a pointer to it goes where it is not followed ('release(pthread_mutex_t *)' is called by a pointer)
// CHECK: gate-pointer-escapes.cpp:[[# @LINE + 22]]:22: pointer-escapes: a pointer to it goes where it is not followed ('elsewhere(void *)::lock' is not in sight)
// CHECK: 0 changed

#include <pthread.h>
#include <vector>

struct Contained {
  pthread_mutex_t *lock = new pthread_mutex_t;
  std::vector<pthread_mutex_t *> all;
  void take() {
    pthread_mutex_init(lock, nullptr);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    all.push_back(     lock);
  }
};

static void release(pthread_mutex_t *lock) { pthread_mutex_unlock(lock); }
void (*const releaseIt)(pthread_mutex_t *) = release;
static pthread_mutex_t *called = new pthread_mutex_t();
void call() { release(called); }

void elsewhere(void *lock);
static pthread_mutex_t *seen = new pthread_mutex_t;
void hand() { elsewhere(seen), pthread_mutex_lock(seen); }
