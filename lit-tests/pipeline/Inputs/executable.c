/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <pthread.h>

static pthread_mutex_t counted = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *count) {
  for (int i = 0; i < 50; ++i) {
    pthread_mutex_lock(&counted);
    ++*(int *)count;
    pthread_mutex_unlock(&counted);
  }
  return count;
}

int main(void) {
  int count = 0;
  pthread_t other;
  if (pthread_create(&other, NULL, work, &count) != 0)
    return 1;
  work(&count);
  pthread_join(other, NULL);
  return count - 100;
}
