// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// However a process ends, its profile is written, and it ends as it would have. What signals do is
// what the program says, and what it is told of them is what it would be told.
//
// REQUIRES: llvm-free-tests
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: %clang -O1 -I%S/Inputs %s -o %t.plain
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -O1 -I%S/Inputs %s -o %t.archive \
// RUN:   -Wl,--whole-archive,%libdir/libqdadvise_rt.a,--no-whole-archive
// RUN: %clang -O1 -static -I%S/Inputs %s -o %t.static \
// RUN:   -Wl,--whole-archive,%libdir/libqdadvise_rt.a,--no-whole-archive
// RUN: %python %S/Inputs/endings.py %t.d %t.plain %t %t.archive %t.static | FileCheck %s
//
// CHECK: term -15 100
// CHECK: segv -11 100
//
// RUN: %clang -O1 -fsanitize=address -I%S/Inputs %s -o %t.asan.plain
// RUN: %clang -O1 -fsanitize=address -I%S/Inputs %s -o %t.asan -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -O1 -fsanitize=address -I%S/Inputs %s -o %t.asan.archive \
// RUN:   -Wl,--whole-archive,%libdir/libqdadvise_rt.a,--no-whole-archive
// RUN: %python %S/Inputs/endings.py --any-profile %t.d %t.asan.plain %t.asan %t.asan.archive | FileCheck %s --check-prefix=ASAN
// ASAN: term -15 100
// ASAN: _exit 5 100
// RUN: %clang -O1 -fsanitize=thread -I%S/Inputs %s -o %t.tsan.plain
// RUN: %clang -O1 -fsanitize=thread -I%S/Inputs %s -o %t.tsan -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %clang -O1 -fsanitize=thread -I%S/Inputs %s -o %t.tsan.archive \
// RUN:   -Wl,--whole-archive,%libdir/libqdadvise_rt.a,--no-whole-archive
// RUN: %python %S/Inputs/endings.py --any-profile %t.d %t.tsan.plain %t.tsan %t.tsan.archive | FileCheck %s --check-prefix=TSAN
// TSAN: _exit 5 100
//
// With at_any_end=0 nothing stands before the end.
// RUN: rm -f %t.qdprof && env QDADVISE_OPTIONS=at_any_end=0:profile=%t.qdprof not --crash %t term
// RUN: not ls %t.qdprof
#define _GNU_SOURCE
#include "sites.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

static void sections(int count) {
  for (int i = 0; i < count; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
}

static void say(const char *text) {
  puts(text);
  fflush(stdout);
}

static void term(void) { kill(getpid(), SIGTERM); }
static void interrupt(void) { raise(SIGINT); }
static void hangUp(void) { raise(SIGHUP); }
static void pipeBroken(void) {
  int ends[2];
  if (pipe(ends) == 0 && close(ends[0]) == 0)
    (void)!write(ends[1], "x", 1);
}
static void segv(void) { *(volatile int *)16 = 1; }
static void trap(void) { __builtin_trap(); }
static void aborted(void) { abort(); }
static void exitAtOnce(void) { _exit(5); }
static void exitAtOnceC(void) { _Exit(6); }
static void quick(void) { quick_exit(7); }
static void usual(void) { exit(8); }
static void killed(void) { raise(SIGKILL); }

/* Of a thread with next to no stack. */
static void *raiseThere(void *none) {
  kill(getpid(), SIGTERM);
  for (;;)
    pause();
  return none;
}
static void smallStack(void) {
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  pthread_t thread;
  pthread_create(&thread, &attributes, raiseThere, NULL);
  pthread_sigmask(SIG_BLOCK, &terminate, NULL);
  pthread_join(thread, NULL);
}
static __attribute__((noinline)) int recurse(volatile int *at) {
  volatile int more[100];
  more[0] = *at + 1;
  return recurse(more) + more[0];
}
/* The signal stack is as large as most are. */
static void stackOverflow(void) {
  static char memory[8192];
  const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
  sigaltstack(&stack, NULL);
  struct rlimit limit = {1 << 20, 1 << 20};
  setrlimit(RLIMIT_STACK, &limit);
  int none = 0;
  exit(recurse(&none));
}

/* A handler of the program's own: it is called once, and ends the process as it likes. */
static void leave(int signal) {
  (void)!write(1, "handled\n", 8);
  sections(10);
  _exit(20 + signal);
}
static void ownHandler(void) {
  signal(SIGTERM, leave);
  term();
}
static void again(int number) {
  (void)!write(1, "again\n", 6);
  signal(number, SIG_DFL);
  raise(number);
}
static void defaultAgain(void) {
  signal(SIGTERM, again);
  term();
}
static void againByAction(int number) {
  struct sigaction usual = {.sa_handler = SIG_DFL};
  sigaction(number, &usual, NULL);
  raise(number);
}
static void defaultAgainByAction(void) {
  struct sigaction action = {.sa_handler = againByAction};
  sigaction(SIGINT, &action, NULL);
  interrupt();
}
static void ignored(void) {
  say(signal(SIGINT, SIG_IGN) == SIG_DFL ? "was default" : "was not");
  say(signal(SIGINT, SIG_IGN) == SIG_IGN ? "is ignored" : "is not");
  interrupt();
  say(signal(SIGINT, SIG_DFL) == SIG_IGN ? "was ignored" : "was not");
  say(signal(SIGINT, SIG_DFL) == SIG_DFL ? "is default" : "is not");
  struct sigaction told = {.sa_flags = 1};
  printf("%d\n", sigaction(SIGTERM, NULL, &told));
  printf("%d %d\n", told.sa_handler == SIG_DFL, told.sa_flags);
  errno = 0;
  printf("%d %d\n", sigaction(SIGKILL, &told, NULL), errno);
  sections(10);
  exit(0);
}
static void blocked(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, NULL);
  term();
  int got = 0;
  sigwait(&set, &got);
  printf("waited for %d\n", got);
  exit(0);
}

/* Children: one that does nothing but fail to become another program leaves no profile. */
static int statusOf(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}
static void forked(void) {
  const pid_t first = fork();
  if (first == 0) {
    execl("/nowhere", "nowhere", (char *)NULL);
    _exit(127);
  }
  printf("%d\n", statusOf(first));
  fflush(stdout);
  const pid_t second = fork();
  if (second == 0) {
    sections(30);
    term();
  }
  printf("%d\n", statusOf(second));
  exit(0);
}
static void vforked(void) {
  const pid_t first = vfork();
  if (first == 0)
    _exit(9);
  printf("%d\n", statusOf(first));
  const pid_t second = vfork();
  if (second == 0)
    kill(getpid(), SIGTERM);
  printf("%d\n", statusOf(second));
  sections(5);
  exit(0);
}

static const struct {
  const char *name;
  void (*end)(void);
  const char *acquisitions;
} ways[] = {{"term", term, "100"},
            {"int", interrupt, "100"},
            {"hup", hangUp, "100"},
            {"pipe", pipeBroken, "100"},
            {"segv", segv, "100"},
            {"trap", trap, "100"},
            {"abort", aborted, "100"},
            {"_exit", exitAtOnce, "100"},
            {"_Exit", exitAtOnceC, "100"},
            {"quick_exit", quick, "100"},
            {"exit", usual, "100"},
            {"kill", killed, "-"},
            {"small-stack", smallStack, "100"},
            {"stack-overflow", stackOverflow, "100"},
            {"own-handler", ownHandler, "110"},
            {"default-again", defaultAgain, "100"},
            {"default-again-by-action", defaultAgainByAction, "100"},
            {"ignored", ignored, "110"},
            {"blocked", blocked, "100"},
            {"forked", forked, "100,30"},
            {"vforked", vforked, "105"}};

int main(int count, char **arguments) {
  const struct rlimit noCore = {0, 0};
  setrlimit(RLIMIT_CORE, &noCore);
  const char *const way = count > 1 ? arguments[1] : "";
  if (strcmp(way, "list") != 0)
    sections(100);
  for (unsigned i = 0; i < sizeof ways / sizeof *ways; ++i) {
    if (strcmp(way, "list") == 0)
      printf("%s %s\n", ways[i].name, ways[i].acquisitions);
    else if (strcmp(way, ways[i].name) == 0)
      ways[i].end();
  }
}
