// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: native-handle: its native handle is used
// CHECK: 0 changed

#include <mutex>

std::mutex lock;
void take() { std::lock_guard<std::mutex> guard(lock); }
pthread_mutex_t *handle() { return lock.native_handle(); }
