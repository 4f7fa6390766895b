// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: braces
// CHECK: initialiser: it is initialised in a way that is not known
// CHECK: lock
// CHECK: initialiser: it is initialised in a way that is not known ('MY_INITIALIZER')
// CHECK: 0 changed

#include <pthread.h>

#define MY_INITIALIZER PTHREAD_MUTEX_INITIALIZER
pthread_mutex_t lock = MY_INITIALIZER;
pthread_mutex_t braces = {};
void take() {
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&braces);
}
