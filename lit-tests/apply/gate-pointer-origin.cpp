// RUN: %rewrite --refused --kind mcs %s | FileCheck %s
// CHECK: gate-pointer-origin.cpp:[[# @LINE + 7]]:49: pointer-origin: a pointer to it may lead to something else (from here)
// CHECK: 0 changed

#include <pthread.h>

static pthread_mutex_t named = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *lock = new pthread_mutex_t();
void choose(bool isNamed) { if (isNamed) lock = &named; }
void take() { pthread_mutex_lock(lock), pthread_mutex_unlock(lock); }
