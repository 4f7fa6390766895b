#include "shared.h"

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

void take(void) {
  pthread_mutex_lock(&lock);
  ++counter;
  pthread_mutex_unlock(&lock);
}
