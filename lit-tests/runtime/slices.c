// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recording in slices agrees with what the program itself knows, whose sections are open
// wherever a slice begins and ends; threads may come and go and fork, and the process ends when
// it would.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=4 %t run > %t.truth
// RUN: %python %S/Inputs/dump.py %t.qdprof > %t.dump
// RUN: %python %S/Inputs/check_slices.py %t.dump %t.truth
//
// A child goes on in slices.
// RUN: rm -f %t.child.*
// RUN: env QDADVISE_OPTIONS=profile=%t.child:slices=4 %t fork > %t.truth
// RUN: mv %t.child.* %t.of-child
// RUN: %python %S/Inputs/dump.py %t.of-child > %t.dump
// RUN: %python %S/Inputs/check_slices.py %t.dump %t.truth child
//
// The thread that opens slices is not the one that keeps the process alive.
// RUN: env QDADVISE_OPTIONS=profile=%t.last:slices=4 %t last
// RUN: %python %S/Inputs/dump.py %t.last > %t.dump && FileCheck %s --check-prefix=LAST < %t.dump
// LAST: dropped 0
// LAST: threads 2
//
// Started and stopped, slices are those of the time in between.
// RUN: env QDADVISE_OPTIONS=profile=%t.later:slices=4:enabled=0:signal=USR1 %t later
// RUN: %python %S/Inputs/dump.py %t.later > %t.dump && FileCheck %s --check-prefix=LATER < %t.dump
// LATER: recorded 0.{{[0-9]+}} s of 0.{{[3-9]}}
//
// RUN: env QDADVISE_OPTIONS=profile=%t.all:slices=4:threaded=0 %t last 2> %t.err
// RUN: FileCheck %s --check-prefix=ALONE < %t.err
// ALONE: 'slices': with threaded=0 there is no thread to switch; all is recorded
#include "sites.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
                       c = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "quick()", "a", 1), MUTEX_SITE(roleRelease, 12, "quick()", "a", 1),
    MUTEX_SITE(roleAcquire, 20, "slow()", "b", 2),  MUTEX_SITE(roleRelease, 22, "slow()", "b", 2),
    MUTEX_SITE(roleAcquire, 30, "brief()", "c", 3), MUTEX_SITE(roleRelease, 32, "brief()", "c", 3)};
REGISTER(sites)

static void spin(long long ns) {
  for (const long long end = nanoseconds() + ns; nanoseconds() < end;)
    ;
}

static long long begin, end;

/* How long the thread has waited for a processor. */
static long long delayed(void) {
  long long ns = 0;
  FILE *const file = fopen("/proc/thread-self/schedstat", "r");
  if (file && fscanf(file, "%*d %lld", &ns) != 1)
    ns = 0;
  if (file)
    fclose(file);
  return ns;
}

/* What the program knows: how often, how long held, in what time, of which delayed. */
static void tell(int line, long count, long long heldNs) {
  printf("%d %ld %lld %lld %lld\n", line, count, heldNs, nanoseconds() - begin, delayed());
}

static void rest(long long ns) { usleep(ns / 1000); }

/* A thread that holds a lock and stays away in turns. */
struct worker {
  int line;
  struct site *sites; /* of acquire and release */
  pthread_mutex_t *lock;
  void (*pass)(long long ns);
  long long holdNs, awayNs;
};
static struct worker quick = {10, &sites[0], &a, spin, 20000, 60000};
/* Cycles of three slices' length. */
static struct worker slow = {20, &sites[2], &b, rest, 7000000, 22000000};

static void *work(void *argument) {
  const struct worker *const worker = argument;
  long count = 0;
  long long held = 0;
  for (; nanoseconds() < end; ++count) {
    lockAt(&worker->sites[0], worker->lock);
    const long long from = nanoseconds();
    worker->pass(worker->holdNs);
    held += nanoseconds() - from;
    unlockAt(&worker->sites[1], worker->lock);
    worker->pass(worker->awayNs);
  }
  tell(worker->line, count, held);
  return NULL;
}

static void *brief(void *unused) {
  for (int i = 0; i < 20; ++i) {
    lockAt(&sites[4], &c);
    unlockAt(&sites[5], &c);
  }
  return unused;
}

static void run(long long ns) {
  begin = nanoseconds();
  end = begin + ns;
  pthread_t threads[2], shortly;
  pthread_create(&threads[0], NULL, work, &quick);
  pthread_create(&threads[1], NULL, work, &slow);
  long count = 0;
  for (; nanoseconds() < end; ++count) {
    pthread_create(&shortly, NULL, brief, NULL);
    pthread_join(shortly, NULL);
    usleep(2000);
  }
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  tell(30, 20 * count, 0);
}

static void *goOn(void *unused) {
  usleep(100000);
  brief(NULL);
  return unused;
}

int main(int argc, char **argv) {
  if (strcmp(argv[argc - 1], "run") == 0)
    run(2000000000ll);
  if (strcmp(argv[argc - 1], "fork") == 0) {
    usleep(30000); /* between two slices, or not */
    if (fork() == 0) {
      run(2000000000ll);
      exit(0);
    }
    wait(NULL);
  }
  if (strcmp(argv[argc - 1], "last") == 0) {
    pthread_t other;
    pthread_create(&other, NULL, goOn, NULL);
    pthread_detach(other);
    brief(NULL);
    pthread_exit(NULL);
  }
  if (strcmp(argv[argc - 1], "later") == 0) {
    usleep(50000);
    sigqueue(getpid(), SIGUSR1, (union sigval){1});
    usleep(300000);
    sigqueue(getpid(), SIGUSR1, (union sigval){2});
    usleep(50000);
  }
  return 0;
}
