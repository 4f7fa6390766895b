// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks need not call while nothing is recorded: the first record of each executable or
// shared object says so to them, until the object goes.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs -I%source/runtime/include %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:enabled=0 %t | FileCheck %s
// Without the runtime they stay as they are made.
// RUN: %clang -O1 -I%S/Inputs -I%source/runtime/include %s -o %t.alone && %t.alone | FileCheck %s --check-prefix=ALONE
#include "sites.h"
#include <qdadvise/profile.h>
#include <stdio.h>

static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1)};
static struct site late[] = {MUTEX_SITE(roleAcquire, 20, "main()", "a", 1)};
REGISTER(sites)

static void show(const char *when) {
  printf("%s %u %u\n", when, sites[0].hooksOn, late[0].hooksOn);
}

int main(void) {
  late[0].hooksOn = 1;
  show("begin"); // CHECK: begin 0 1
  qdadvise_start();
  show("on"); // CHECK: on 1 1
  qdadvise_stop();
  if (__qdadvise_register)
    __qdadvise_register(late, late + 1);
  show("off"); // CHECK: off 0 0
  qdadvise_start();
  show("on again"); // CHECK: on again 1 1
  if (__qdadvise_unregister)
    __qdadvise_unregister(late, late + 1);
  qdadvise_stop();
  show("one left"); // CHECK: one left 0 1
  // ALONE: one left 0 1
  return 0;
}
