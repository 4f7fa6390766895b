#include "calls.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local long number = 1;
static long count;

// Calls a function of the other unit, which calls this one, and itself.
long sumOfDigits(long value) {
  return value == 0 ? 0 : fromMain(value % 10 - 1) + sumOfDigits(value / 10);
}

static void countOne(void) {
  pthread_mutex_lock(&inner);
  count++;
  pthread_mutex_unlock(&inner);
}

long countUnderLock(void) {
  countOne();
  return 1;
}

void giveBack(void) { pthread_mutex_unlock(&inner); }

long threadNumber(void) { return number; }

// Whoever is linked may have another one.
__attribute__((weak)) long fromLibrary(long value) { return labs(value); }
