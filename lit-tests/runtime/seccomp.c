// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that will be killed where a thread is started, or code is made writable, runs to its
// end: the thread of slices=auto is not started from there, and all is recorded. So it is where the
// system only refuses. The profile says so.
//
// RUN: %clang --config=%cfgdir/profile.cfg -O2 %s -o %t
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=auto %t prctl
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=auto %t syscall
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:slices=auto %t inherited
// RUN: %python %S/Inputs/dump.py %t.qdprof | FileCheck %s
//
// The flag is 512, beside those of hooks (258) and of a thread that was there.
// CHECK: flags {{770|774}}
// CHECK: dropped 0 unmatched 0
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REFUSE(number, how)                                                                        \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, how)

/// A thread's start, and what else is told.
static int forbid(long other, unsigned answer, int byPrctl) {
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      REFUSE(SYS_clone, answer),
      REFUSE(SYS_clone3, answer),
      REFUSE(other, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof steps / sizeof steps[0], steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return -1;
  return byPrctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)
                 : (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long count;

static void often(void) {
  const clock_t end = clock() + CLOCKS_PER_SEC / 5;
  while (clock() < end)
    for (int i = 0; i < 1000; ++i) {
      pthread_mutex_lock(&lock);
      ++count;
      pthread_mutex_unlock(&lock);
    }
}

int main(int argc, char **argv) {
  (void)argc;
  // What libc's functions do, these do as well.
  errno = 0;
  if (syscall(SYS_getpid) != getpid() || syscall(SYS_close, -1) != -1 || errno != EBADF)
    return 3;
  char name[16] = "";
  if (prctl(PR_SET_NAME, "sandboxed") != 0 || prctl(PR_GET_NAME, name) != 0 ||
      strcmp(name, "sandboxed") != 0)
    return 4;
  if (strcmp(argv[1], "inherited") == 0) {
    if (forbid(SYS_fork, SECCOMP_RET_ERRNO | EPERM, 1) != 0)
      return 5;
    execl(argv[0], argv[0], "refused", NULL);
    return 6;
  }
  if (strcmp(argv[1], "refused") != 0 &&
      forbid(SYS_mprotect, SECCOMP_RET_KILL_PROCESS, strcmp(argv[1], "prctl") == 0) != 0)
    return 5;
  often();
}
