// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnosis runs of what is hard on them: sections left by longjmp and by cancellation, signal
// handlers that lock and write in the midst of a section, threads that come and go, locks held
// across one another, fork with threads, stopping and starting. The program does what it does
// without us.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang -O1 -DPLAIN %s -pthread -o plain
// RUN: ./plain > wanted
// RUN: %clang --config=%cfgdir/memory-call.cfg -O1 -I%source/runtime/include %s -pthread -o traced
// RUN: env QDADVISE_OPTIONS=memory_slices=1:profile=traced.%%p ./traced > said
// RUN: diff wanted said
// RUN: env QDADVISE_OPTIONS=memory_slices=3:profile=slices.%%p ./traced > said
// RUN: diff wanted said
// RUN: %clang --config=%cfgdir/memory-xray.cfg -O1 -I%source/runtime/include %s -pthread -o xray
// RUN: env QDADVISE_OPTIONS=memory_slices=1:profile=xray.%%p ./xray > said
// RUN: diff wanted said
// RUN: %clang --config=%cfgdir/memory-call.cfg -fsanitize=address -O1 \
// RUN:   -I%source/runtime/include %s -pthread -o asan
// RUN: env QDADVISE_OPTIONS=memory_slices=1:profile=asan.%%p ./asan > said
// RUN: diff wanted said
// Jumps, cancellation and fork confuse ThreadSanitizer, without us as well.
// RUN: %clang -O1 -DPLAIN -DTAME %s -pthread -o tame
// RUN: ./tame > wanted
// RUN: %clang --config=%cfgdir/memory-call.cfg -fsanitize=thread -DTAME -O1 \
// RUN:   -I%source/runtime/include %s -pthread -o tsan
// RUN: env QDADVISE_OPTIONS=memory_slices=1:profile=tsan.%%p ./tsan > said
// RUN: diff wanted said
// RUN: %qdadvise report --format json traced.* | FileCheck %s
// CHECK: "conflict_probability"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef PLAIN
static void qdadvise_start(void) {}
static void qdadvise_stop(void) {}
static void qdadvise_reset(void) {}
#else
#include <qdadvise/profile.h>
#endif

static pthread_mutex_t locks[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                   PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static long counters[4], table[4][1 << 14];
static pthread_spinlock_t handlers;
static volatile long handled;

static void bump(int which) {
  pthread_mutex_lock(&locks[which]);
  counters[which]++;
  for (int i = 0; i < 64; i++)
    table[which][(counters[which] * 97 + i * 8) % (1 << 14)]++;
  pthread_mutex_unlock(&locks[which]);
}

static void onSignal(int signal) {
  (void)signal;
  pthread_spin_lock(&handlers);
  handled++;
  pthread_spin_unlock(&handlers);
}

/// Leaves sections by a jump; what they hold is given back outside.
__attribute__((unused)) static void jump(void) {
  jmp_buf out;
  for (volatile int i = 0; i < 200; i++) {
    if (setjmp(out) == 0) {
      pthread_mutex_lock(&locks[0]);
      counters[0]++;
      longjmp(out, 1);
    }
    pthread_mutex_unlock(&locks[0]);
  }
}

static void giveBack(void *lock) { pthread_mutex_unlock(lock); }

__attribute__((unused)) static void *cancelled(void *argument) {
  pthread_mutex_lock(&locks[1]);
  pthread_cleanup_push(giveBack, &locks[1]);
  counters[1]++;
  for (;;)
    pause();
  pthread_cleanup_pop(1);
  return argument;
}

static void *shortLived(void *argument) {
  for (int i = 0; i < 10; i++)
    bump((int)(long)argument);
  return 0;
}

/// Hand over hand: the first is given back before the second.
static void *chained(void *argument) {
  for (int i = 0; i < 500; i++) {
    pthread_mutex_lock(&locks[2]);
    counters[2]++;
    pthread_mutex_lock(&locks[3]);
    counters[3]++;
    pthread_mutex_unlock(&locks[2]);
    table[3][i]++;
    pthread_mutex_unlock(&locks[3]);
    if (i % 100 == 0)
      raise(SIGUSR1);
  }
  return argument;
}

int main(void) {
  pthread_spin_init(&handlers, PTHREAD_PROCESS_PRIVATE);
  signal(SIGUSR1, onSignal);
#ifndef TAME
  jump();
#endif
  pthread_t threads[8];
  for (int round = 0; round < 50; round++) {
    for (long i = 0; i < 8; i++)
      pthread_create(&threads[i], 0, shortLived, (void *)(i % 4));
    for (int i = 0; i < 8; i++)
      pthread_join(threads[i], 0);
  }
#ifndef TAME
  for (int i = 0; i < 10; i++) {
    pthread_create(&threads[0], 0, cancelled, 0);
    usleep(1000);
    pthread_cancel(threads[0]);
    pthread_join(threads[0], 0);
  }
#endif
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], 0, chained, 0);
  qdadvise_stop();
  bump(0);
  qdadvise_start();
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], 0);
#ifndef TAME
  fflush(stdout);
  pthread_mutex_lock(&locks[0]); // the child goes on in the section
  const pid_t child = fork();
  counters[0] += child == 0;
  pthread_mutex_unlock(&locks[0]);
  if (child == 0) {
    bump(0);
    exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  if (status != 0)
    printf("the child failed: %d\n", status);
#endif
  printf("%ld %ld %ld %ld %ld\n", counters[0], counters[1], counters[2], counters[3], handled);
  qdadvise_reset();
  bump(0);
  bump(1);
  return 0;
}
