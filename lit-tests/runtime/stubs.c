// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stub that a library starts all threads with calls the routine that its argument has: that one
// is the thread's class. Where it is none that the plugin has seen, the stub is.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// CHECK-DAG: class main count 1
// CHECK-DAG: class work(void *) at test.c:5 count 2
// CHECK-DAG: class rest(void *) at test.c:6 count 1
// CHECK-DAG: class stub(void *) at test.c:7 count 2
#include "sites.h"
#include <stddef.h>

struct start {
  int number;
  void *(*routine)(void *);
};
static void *work(void *none) { return none; }
static void *rest(void *none) { return none; }
static void *unseen(void *none) { return none; }
static void *stub(void *argument) {
  const struct start *start = argument;
  return start->routine ? start->routine(NULL) : NULL;
}

#define START(routine_, line_, offsetPlusOne)                                                      \
  {.version = 4,       .role = roleThreadStart,    .file = "test.c", .line = line_,                \
   .expression = "",   .function = #routine_ "(void *)",             .ordinal = offsetPlusOne,     \
   .lockName = "",     .lockType = "",             .declFile = "",   .thunks = {routine_}}
static struct site sites[] = {START(work, 5, 0), START(rest, 6, 0),
                              START(stub, 7, offsetof(struct start, routine) + 1)};
REGISTER(sites)

int main(void) {
  struct start starts[] = {{1, NULL}, {2, work}, {3, rest}, {4, unseen}, {5, work}};
  int failed = 0;
  for (unsigned i = 0; i < sizeof starts / sizeof *starts; ++i) {
    pthread_t thread;
    failed |= pthread_create(&thread, NULL, stub, &starts[i]) != 0 || pthread_join(thread, NULL);
  }
  return failed;
}
