// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: comment-inside: a comment stands where the call would be taken apart
// CHECK: 0 changed

#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void take() {
  pthread_mutex_lock(/* the first */ &lock);
  pthread_mutex_unlock(&lock);
}
