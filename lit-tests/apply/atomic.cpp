// Locks around one integer go, and the integers become atomics: in guards and between calls, with a
// value, as members, with readers, more than one integer.
// RUN: %rewrite --kind atomic %s | FileCheck %s
// CHECK: Meter::lock_ {{.*}} changed: {{.*}} places in atomic.cpp; atomic: Meter::level_{{$}}
// CHECK: flagLock {{.*}} atomic: done, stop{{$}}
// CHECK: hitsLock {{.*}} atomic: hits{{$}}
// CHECK: 3 changed, 0 refused
// CHECK-NOT: To build it
// CHECK: atomic.cpp:-  mutable std::mutex lock_; // guards the level
// CHECK-NEXT: atomic.cpp:-  unsigned long level_ = 0;
// CHECK-NEXT: atomic.cpp:+   // guards the level
// CHECK-NEXT: atomic.cpp:+  std::atomic<unsigned long> level_ = 0;
// CHECK: atomic.cpp:-pthread_mutex_t hitsLock = PTHREAD_MUTEX_INITIALIZER;
// CHECK: atomic.cpp:+static std::atomic<int> hits;
// CHECK: atomic.cpp:-    std::printf("%d\n", hits);
// CHECK-NEXT: atomic.cpp:+    std::printf("%d\n", hits.load());
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone
#include <algorithm>
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <thread>

class Meter {
public:
  unsigned long raise(unsigned by) {
    std::lock_guard<std::mutex> guard(lock_);
    return level_ += by;
  }
  bool isHigh(unsigned long limit) const {
    std::scoped_lock guard(lock_);
    if (level_ > limit)
      return true;
    return false;
  }
  void reset() {
    lock_.lock();
    level_ = 0;
    lock_.unlock();
  }

private:
  mutable std::mutex lock_; // guards the level
  unsigned long level_ = 0;
};

pthread_mutex_t hitsLock = PTHREAD_MUTEX_INITIALIZER;
static int hits;

static int next() {
  pthread_mutex_lock(&hitsLock);
  int mine = ++hits; // from 1
  pthread_mutex_unlock(&hitsLock);
  return mine;
}

// Two integers, and an end before the end.
std::shared_mutex flagLock;
bool stop = false;
char done = 0;
struct Flags {
  static bool both(bool wanted) {
    {
      std::unique_lock<std::shared_mutex> guard(flagLock);
      stop = wanted;
    }
    flagLock.lock();
    if (!stop) {
      flagLock.unlock();
      return false;
    }
    flagLock.unlock();
    {
      const std::lock_guard guard(flagLock);
      ++done;
    }
    std::shared_lock<std::shared_mutex> guard(flagLock);
    return done;
  }
};

static Meter meter;
static void work() {
  for (int i = 0; i < 1000; ++i) {
    meter.raise(2);
    next();
    Flags::both(true);
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  if (!meter.isHigh(3999) || meter.raise(0) != 4000)
    return 1;
  meter.reset();
  int copy = hits;
  if (hits != 2000)
    std::printf("%d\n", hits);
  return meter.raise(1) == 1 && copy == std::max<int>(next() - 1, 2) ? 0 : 2;
}
