#include "calls.h"

#include <pthread.h>

static pthread_mutex_t harmless = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t around = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t handedOver = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t named = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t unknown = PTHREAD_MUTEX_INITIALIZER;
static long values;

long fromMain(long value) { return value + 1; }

static void *work(void *unused) {
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&harmless);
    values += sumOfDigits(i);
    pthread_mutex_unlock(&harmless);
  }
  pthread_mutex_lock(&around);
  values += countUnderLock();
  pthread_mutex_unlock(&around);
  pthread_mutex_lock(&handedOver);
  if (values < 0)
    giveBack();
  pthread_mutex_unlock(&handedOver);
  pthread_mutex_lock(&named);
  values += threadNumber();
  pthread_mutex_unlock(&named);
  pthread_mutex_lock(&unknown);
  values += fromLibrary(1);
  pthread_mutex_unlock(&unknown);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, work, 0) != 0 || pthread_join(thread, 0) != 0)
    return 1;
  return values != 903;
}
