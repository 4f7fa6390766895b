// A lock behind a `void *` that only its class knows changes with the class; where a configuration
// is left out that has none of it, that is no matter.
// RUN: %rewrite --kind spinlock --accept shared-operation %s | FileCheck %s
// RUN: %rewrite --refused --kind spinlock %s | FileCheck --check-prefix=ASKED %s
// ASKED: shared-operation: readers share it, and the target has no readers
// ASKED: 0 changed
// CHECK: Lock::hidden  pthread_rwlock_t  spinlock  changed: 10 places in {{.*}}pointer-member.cpp; accepted: shared-operation
// CHECK: lock          Lock              spinlock  changed: with 'Lock::hidden', which is in it
// CHECK: pointer-member.cpp:-  ::pthread_rwlock_t *lock = new ::pthread_rwlock_t;
// CHECK: pointer-member.cpp:-  if (pthread_rwlock_init(lock, nullptr) != 0)
// CHECK: pointer-member.cpp:+  qdadvise::spinlock *lock = new qdadvise::spinlock;
// CHECK: pointer-member.cpp:+  qdadvise::spinlock *lock = (qdadvise::spinlock *)hidden;
// CHECK: pointer-member.cpp:+void Lock::lock() { ((qdadvise::spinlock *)hidden)->lock(); }
// CHECK: pointer-member.cpp:+  if (((static_cast<qdadvise::spinlock *>(hidden))->lock(), 0) != 0)
// CHECK: builds and runs:
// CHECK-NEXT: again: nothing; undone

#include <cstdlib>
#include <pthread.h>
#include <thread>

class Lock {
public:
  Lock();
  ~Lock();
  void lock();
  void read();
  void unlock();

private:
  void *hidden;
};

#ifdef OTHER_SYSTEM
Lock::Lock() : hidden(nullptr) { hidden = new Event; }
Lock::~Lock() { delete (Event *)hidden; }
#else
Lock::Lock() : hidden(nullptr) {
  ::pthread_rwlock_t *lock = new ::pthread_rwlock_t;
  if (pthread_rwlock_init(lock, nullptr) != 0)
    abort();
  hidden = lock;
}
Lock::~Lock() {
  ::pthread_rwlock_t *lock = (::pthread_rwlock_t *)hidden;
  pthread_rwlock_destroy(lock);
  delete lock;
}
void Lock::lock() { pthread_rwlock_wrlock((pthread_rwlock_t *)hidden); }
void Lock::read() {
  if (pthread_rwlock_rdlock(static_cast<pthread_rwlock_t *>(hidden)) != 0)
    abort();
}
void Lock::unlock() {
  auto *lock = (pthread_rwlock_t *)hidden;
  if (lock != nullptr)
    pthread_rwlock_unlock(lock);
}
#endif

Lock lock;
int value = 0;

void work() {
  for (int i = 0; i < 1000; ++i) {
    lock.lock();
    ++value;
    lock.unlock();
    lock.read();
    const bool isThere = value > 0;
    lock.unlock();
    if (!isThere)
      abort();
  }
}

int main() {
  std::thread other(work);
  work();
  other.join();
  return value == 2000 ? 0 : 1;
}
