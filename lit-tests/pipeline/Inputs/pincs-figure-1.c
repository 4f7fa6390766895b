// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roy, Hand and Harris, "PinCS" (2009), Figure 1: three threads and one lock; every second
// execution on average touches a counter of all, and each has a counter in a line of all.
#include <pthread.h>
#include <stdint.h>

enum { threads = 3, iterations = 1000 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static _Alignas(64) volatile int shared = 0;
static _Alignas(64) volatile int shared_array[16];
static pthread_barrier_t start;

static void think(unsigned rounds) {
  for (volatile unsigned i = 0; i < rounds; i = i + 1)
    ;
}

// Heads 49 times in 100, as the tosses of the figure came out.
static int toss_coin(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (*state >> 33) % 100 < 49;
}

static void *xwork(void *argument) {
  volatile int private = 0;
  const int thread = (int)(intptr_t)argument;
  uint64_t coin = (uint64_t)thread + 1;
  pthread_barrier_wait(&start);
  for (int i = 0; i < iterations; i++) {
    // Whichever thread runs first, all have touched the counter after ten iterations. On a busy
    // machine they stay together, too.
    if (i % 50 == 10)
      pthread_barrier_wait(&start);
    const int heads = toss_coin(&coin);
    pthread_rwlock_wrlock(&lock);
    private++;
    if (heads)
      shared++;
    shared_array[thread]++;
    think(10000);
    pthread_rwlock_unlock(&lock);
    think(10000);
  }
  return 0;
}

int main(void) {
  pthread_t workers[threads];
  pthread_barrier_init(&start, 0, threads);
  for (intptr_t i = 0; i < threads; i++)
    pthread_create(&workers[i], 0, xwork, (void *)i);
  for (int i = 0; i < threads; i++)
    pthread_join(workers[i], 0);
  return 0;
}
