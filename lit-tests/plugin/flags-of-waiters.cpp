// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A section that changes a flag for which threads wait with a condition variable is one integer
// update, but no atomic would do: a waiter that has looked and does not sleep yet would miss it.
//
// RUN: %clangxx -std=c++17 --config=%cfgdir/advise.cfg %plugin_arg-advice=%S/Inputs/flags-of-waiters.toml -fsyntax-only %s 2>&1 | FileCheck %s --implicit-check-not="an atomic would do"
#include <condition_variable>
#include <mutex>
#include <pthread.h>

std::mutex counted, waited;
pthread_mutex_t signalled = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t elsewhere = PTHREAD_COND_INITIALIZER;
std::condition_variable changed;
int count;
bool ready, done;

void plain() {
  // CHECK-DAG: :[[#@LINE+1]]:3: warning: lock 'counted'
  std::lock_guard<std::mutex> guard(counted);
  // CHECK-DAG: :[[#@LINE+1]]:3: note: this section is one integer update: an atomic would do
  ++count;
}
void makeReady() {
  // CHECK-DAG: :[[#@LINE+1]]:3: warning: lock 'waited'
  std::lock_guard<std::mutex> guard(waited);
  ready = true;
}
void wait() {
  std::unique_lock<std::mutex> guard(waited);
  changed.wait(guard, [] { return ready; });
}
// Whoever waits is in another file.
void finish() {
  // CHECK-DAG: :[[#@LINE+1]]:3: warning: lock 'signalled'
  pthread_mutex_lock(&signalled);
  done = true;
  pthread_mutex_unlock(&signalled);
  pthread_cond_broadcast(&elsewhere);
}
