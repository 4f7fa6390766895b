// An initialisation in a macro cannot be changed, also where the other operations may stay.
//
// RUN: %rewrite --refused --kind adaptive_mutex %s | FileCheck %s
// CHECK: job::lock {{ *}}pthread_mutex_t  adaptive pthread mutex  refused
// CHECK-NEXT: macro: a macro would have to be changed
// CHECK: 0 changed, 1 refused

#include <pthread.h>

struct job {
  pthread_mutex_t lock;
  int number;
};
#define MAKE(job, first) (pthread_mutex_init(&(job)->lock, NULL), (job)->number = (first))

int main(void) {
  struct job one, two;
  pthread_mutex_init(&one.lock, NULL);
  MAKE(&two, 1);
  one.number = two.number;
  return one.number - 1;
}
