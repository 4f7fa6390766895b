// A lock of a class of the program's own changes with the lock that the class has in it: the class's
// guard, and whoever has a pointer to it, need no change.
//
// RUN: %rewrite --kind mcs %s | FileCheck %s
// CHECK: Account::lock_ {{ *}}Mutex {{ *}}MCS lock  changed: with 'Mutex::inner_', which is in it
// CHECK: Mutex::inner_ {{ *}}pthread_mutex_t  MCS lock  changed: 5 places in {{.*}}wrapper-class.cpp
// CHECK: total {{ *}}Mutex {{ *}}MCS lock  changed: with 'Mutex::inner_', which is in it
// CHECK: +  void Lock() {{.*}} { inner_.lock(); }
// CHECK: builds and runs:
// CHECK: again: nothing; undone

#include <pthread.h>

#include <thread>

#ifdef __clang__
#define CAPABILITY __attribute__((capability("mutex")))
#define ACQUIRES __attribute__((acquire_capability()))
#define RELEASES __attribute__((release_capability()))
#else
#define CAPABILITY
#define ACQUIRES
#define RELEASES
#endif

class CAPABILITY Mutex {
public:
  Mutex() { pthread_mutex_init(&inner_, nullptr); }
  ~Mutex() { pthread_mutex_destroy(&inner_); }
  void Lock() ACQUIRES { pthread_mutex_lock(&inner_); }
  void Unlock() RELEASES { pthread_mutex_unlock(&inner_); }

private:
  pthread_mutex_t inner_;
};

class MutexLock {
public:
  explicit MutexLock(Mutex *mutex) : mutex_(mutex) { mutex_->Lock(); }
  ~MutexLock() { mutex_->Unlock(); }

private:
  Mutex *const mutex_;
};

class Account {
public:
  void add(int amount) {
    MutexLock guard(&lock_);
    balance_ += amount;
  }
  int balance() {
    MutexLock guard(&lock_);
    return balance_;
  }

private:
  Mutex lock_;
  int balance_ = 0;
};

Mutex total;
int sum = 0;

int main() {
  Account account;
  const auto work = [&account] {
    for (int i = 0; i < 1000; ++i) {
      account.add(1);
      total.Lock();
      ++sum;
      total.Unlock();
    }
  };
  std::thread other(work);
  work();
  other.join();
  return account.balance() == 2000 && sum == 2000 ? 0 : 1;
}
