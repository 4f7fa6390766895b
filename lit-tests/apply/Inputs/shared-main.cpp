#include "shared.h"

int main() {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}
