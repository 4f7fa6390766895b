// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: lock 
// CHECK: recursion: it is recursive (std::recursive_mutex)
// CHECK: posix 
// CHECK: recursion: it is recursive (PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP)
// CHECK: 0 changed

#include <mutex>
#include <pthread.h>

std::recursive_mutex lock;
pthread_mutex_t posix = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
void take() { std::lock_guard<std::recursive_mutex> guard(lock); }
