// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleeping and waiting for descriptors, messages and processes is blocked time. A function
// of the program's own that is named alike is not meant.

// RUN: %xray_c -O0 %s -o %t && %t | FileCheck %s
// RUN: %call_c -O2 %s -o %t && %t | FileCheck %s
// RUN: %patch_c -O2 %s -o %t && %t | FileCheck %s

#define _GNU_SOURCE
#include <mqueue.h>
#include <poll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) int epoll_wait(const int *mask) { return *mask; }

int main(void) {
  const struct timespec none = {0, 1};
  struct timeval at_once = {0, 0};
  // CHECK: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  usleep(1);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  nanosleep(&none, 0);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  clock_nanosleep(CLOCK_MONOTONIC, 0, &none, 0);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  thrd_sleep(&none, 0);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  poll(0, 0, 0);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  select(0, 0, 0, 0, &at_once);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  waitpid(-1, 0, WNOHANG);
  char message[16];
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  msgrcv(-1, message, sizeof message - sizeof(long), 0, IPC_NOWAIT);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  mq_receive((mqd_t)-1, message, sizeof message, 0);
  struct sembuf down = {0, -1, IPC_NOWAIT};
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  semop(-1, &down, 1);
  // CHECK-NEXT: block [[#@LINE+2]]
  // CHECK-NEXT: unblock [[#@LINE+1]]
  semtimedop(-1, &down, 1, &none);
  const int mine = 0;
  return epoll_wait(&mine);
}
// CHECK-NOT: {{.}}
