#include "shared.h"

int main(void) {
  take();
  pthread_mutex_lock(&lock);
  const int taken = counter;
  pthread_mutex_unlock(&lock);
  return taken == 1 ? 0 : 1;
}
