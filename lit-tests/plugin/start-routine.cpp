// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function that starts a thread has a record with its address.

// RUN: %xray_cxx -O0 %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %xray_cxx -O2 %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %call_cxx -O2 -g %s -o %t && env TRACE_SITES=1 %t | FileCheck %s
// RUN: %patch_cxx -O2 -g %s -o %t && env TRACE_SITES=1 %t | FileCheck %s

#include <pthread.h>

static void *serve(void *argument) { return argument; }
// CHECK-DAG: site start start-routine.cpp:[[#@LINE-1]]:14 serve(void *) |

// Either of two:
static void *serveInOrder(void *argument) { return argument; }
static void *serveAsTheyCome(void *argument) { return argument; }
// CHECK-DAG: site start start-routine.cpp:[[#@LINE-2]]:14 serveInOrder(void *) |
// CHECK-DAG: site start start-routine.cpp:[[#@LINE-2]]:14 serveAsTheyCome(void *) |

// Passed on in a variable, as pools of threads do:
static void *load(void *argument) { return argument; }
static void *store(void *argument) { return argument; }
// CHECK-DAG: site start start-routine.cpp:[[#@LINE-2]]:14 load(void *) |
// CHECK-DAG: site start start-routine.cpp:[[#@LINE-2]]:14 store(void *) |
struct Stage {
  void *(*routine)(void *);
} stages[] = {{load}, {nullptr}};

// Passed to a wrapper of threads that takes routines without a result:
static void flush(void *argument) {}
static void compact(void *argument) {}
// CHECK-DAG: site start start-routine.cpp:[[#@LINE-2]]:13 flush(void *) |
// CHECK-DAG: site start start-routine.cpp:[[#@LINE-2]]:13 compact(void *) |
struct State {
  void (*routine)(void *);
  void *argument;
};
static void *startThread(void *argument) {
  State *state = static_cast<State *>(argument);
  state->routine(state->argument);
  delete state;
  return nullptr;
}
static void start(void (*routine)(void *), void *argument) {
  pthread_t thread;
  pthread_create(&thread, nullptr, &startThread, new State{routine, argument});
  pthread_join(thread, nullptr);
}

// Only called:
static void *own(void *argument) { return argument; }
// CHECK-NOT: own(void *)

int main(int count, char **) {
  pthread_t thread;
  pthread_create(&thread, nullptr, serve, nullptr);
  pthread_join(thread, nullptr);
  pthread_create(&thread, nullptr, count > 1 ? serveInOrder : &serveAsTheyCome, nullptr);
  pthread_join(thread, nullptr);
  start(flush, nullptr);
  start(&compact, nullptr);
  stages[1].routine = store;
  for (Stage &stage : stages) {
    pthread_create(&thread, nullptr, stage.routine, own(&stage));
    pthread_join(thread, nullptr);
  }
}
