// RUN: %rewrite --refused --kind qd %s | FileCheck %s
// CHECK: lock  pthread_mutex_t  QD lock  refused
// CHECK: delegation: its critical sections would have to become operations
// CHECK: 0 changed

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}
