// RUN: %rewrite --refused --kind mcs --flags=-D_GNU_SOURCE %s | FileCheck %s
// CHECK: lock 
// CHECK: mutex-attributes: it has attributes
// CHECK: robust 
// CHECK: mutex-attributes: it has attributes
// CHECK: 0 changed

#include <pthread.h>

static pthread_mutex_t lock;
static pthread_mutex_t robust;
static void take(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&lock, &attributes);
  pthread_mutex_consistent(&robust);
}

int main(void) { take(); }
