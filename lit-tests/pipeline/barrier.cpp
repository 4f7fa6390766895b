// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of barriers made of a lock and a condition variable are found, also where nobody ever
// waited: who comes last wakes the others, who wait at the same variable. A queue wakes all as well.
// Threads divide what lies between barriers.
//
// RUN: %clangxx -std=c++17 -O1 -pthread --config=%cfgdir/profile.cfg %s -o %t
// RUN: %qdadvise record -o %t.qdprof -- %t
// RUN: %qdadvise show %t.qdprof -o %t.toml
// RUN: grep '^barrier_stretch = ' %t.toml
// RUN: tr '{' '\n' < %t.toml | grep '"barrier"' | grep -o 'function = "[^"]*"' | sort -u > %t.functions
// RUN: FileCheck %s < %t.functions --implicit-check-not=function
// CHECK: function = "inCxx()"
// CHECK: function = "inPlain()"
// CHECK: function = "inRounds()"
// CHECK: function = "inWrapped(Round *)"
//
// Those of a library are no sections, and count as often as threads came to them.
// RUN: %clangxx -std=c++20 -DLIBRARY -O1 -pthread --config=%cfgdir/profile.cfg %s -o %t.library
// RUN: %qdadvise record -o %t.library.qdprof -- %t.library
// RUN: %qdadvise show %t.library.qdprof > %t.library.toml
// RUN: FileCheck %s --check-prefix=LIBRARY < %t.library.toml --implicit-check-not='"barrier"'
// LIBRARY: barrier_stretch = {{0\.[89]}}
// LIBRARY: barriers = 40.0
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

struct Plain {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t come = PTHREAD_COND_INITIALIZER;
  int arrived = 0;
} plain;

void inPlain() {
  pthread_mutex_lock(&plain.lock);
  plain.arrived++;
  if (plain.arrived == 1) {
    plain.arrived = 0;
    pthread_cond_broadcast(&plain.come);
  } else {
    pthread_cond_wait(&plain.come, &plain.lock);
  }
  pthread_mutex_unlock(&plain.lock);
}

std::mutex arriving;
std::condition_variable allCame;
int missing = 1, generation = 0;

void inCxx() {
  std::unique_lock<std::mutex> guard(arriving);
  const int mine = generation;
  if (--missing == 0) {
    missing = 1;
    ++generation;
    allCame.notify_all();
    return;
  }
  allCame.wait(guard, [mine] { return mine != generation; });
}

// Whoever came last goes on to the wait as well, and finds a new generation.
void inRounds() {
  std::unique_lock<std::mutex> guard(arriving);
  const int mine = generation;
  if (--missing == 0) {
    missing = 1;
    ++generation;
    allCame.notify_all();
  }
  allCame.wait(guard, [mine] { return mine != generation; });
}

struct Round {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t come = PTHREAD_COND_INITIALIZER;
  int arrived = 0, number = 0;
} rounds;

int lockIt(pthread_mutex_t *lock) { return pthread_mutex_lock(lock); }
int unlockIt(pthread_mutex_t *lock) { return pthread_mutex_unlock(lock); }
int waitAt(pthread_cond_t *at, pthread_mutex_t *lock) { return pthread_cond_wait(at, lock); }
int wakeAll(pthread_cond_t *at) { return pthread_cond_broadcast(at); }

void inWrapped(Round *round) {
  lockIt(&round->lock);
  const int mine = round->number;
  if (++round->arrived == 1) {
    round->arrived = 0;
    round->number = 1 - mine;
    wakeAll(&round->come);
  }
  while (round->number == mine)
    waitAt(&round->come, &round->lock);
  unlockIt(&round->lock);
}

std::mutex queueLock;
std::condition_variable changed, emptied;
int queued = 0;
bool closed = false;

void push() {
  std::unique_lock<std::mutex> guard(queueLock);
  if (queued > 10)
    emptied.wait(guard);
  else
    changed.notify_all();
  ++queued;
}

bool pop() {
  std::unique_lock<std::mutex> guard(queueLock);
  while (queued == 0 && !closed)
    changed.wait(guard);
  if (queued > 0)
    --queued;
  changed.notify_all();
  return true;
}

// It wakes those who wait as it does, but not because of what they wait for.
void drain() {
  std::unique_lock<std::mutex> guard(queueLock);
  if (queued > 0) {
    --queued;
    changed.notify_all();
  }
  while (closed)
    changed.wait(guard);
}

// Who wakes the others goes on to wait in the same round of its loop.
void work() {
  std::unique_lock<std::mutex> guard(queueLock);
  while (queued > 0) {
    if (queued < 10) {
      queued = 0;
      emptied.notify_all();
    }
    emptied.wait_for(guard, std::chrono::microseconds(1));
  }
}

#ifdef LIBRARY
#include <barrier>

pthread_barrier_t everybody;
std::barrier<> all(1);

int main() {
  pthread_barrier_init(&everybody, nullptr, 1);
  for (int i = 0; i < 20; ++i) {
    push();
    if (i == 10)
      for (volatile int j = 0; j < 100000000; ++j)
        ;
    pthread_barrier_wait(&everybody);
    all.arrive_and_wait();
    pop();
  }
}
#else
int main() {
  for (int i = 0; i < 20; ++i) {
    inPlain();
    inCxx();
    push();
    pop();
    inRounds();
    inWrapped(&rounds);
    drain();
    push();
    work();
    inPlain();
    usleep(100);
  }
}
#endif
