// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: result-used: the value of an operation is used, and the target's has none
// CHECK: 0 changed

#include <pthread.h>

pthread_mutex_t lock;
bool open() { return pthread_mutex_init(&lock, nullptr) == 0; }
