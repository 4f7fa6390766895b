// RUN: %rewrite --refused %s | FileCheck %s
// CHECK: lock          std::mutex       MCS lock  refused
// CHECK: gate-address-taken.cpp:[[# @LINE + 8]]:20: address-taken: its address or a reference to it is kept (its address is taken), and in 2 other places
// CHECK: offset::lock  pthread_mutex_t  MCS lock  refused
// CHECK: address-taken: its address or a reference to it is kept (offsetof)
#include <cstddef>
#include <mutex>
#include <pthread.h>

std::mutex lock;
std::mutex *kept = &lock;
std::mutex &reference = lock;
std::mutex &accessor() { return lock; }

struct offset {
  int first;
  pthread_mutex_t lock;
};
std::size_t where = offsetof(offset, lock);
