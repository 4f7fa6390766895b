/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a command and prints its processor time in ns and its most resident memory in KiB. A
 * process of its own, since a child begins with the memory of whoever forks it. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double nsOf(struct timeval time) {
  return 1e9 * (double)time.tv_sec + 1e3 * (double)time.tv_usec;
}

int main(int count, char **arguments) {
  const pid_t child = count > 1 ? fork() : -1;
  if (child == 0) {
    execvp(arguments[1], arguments + 1);
    _exit(127);
  }
  int status = 0;
  struct rusage used;
  if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
    return 1;
  printf("%.0f %ld\n", nsOf(used.ru_utime) + nsOf(used.ru_stime), used.ru_maxrss);
  return 0;
}
