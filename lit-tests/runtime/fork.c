// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A child starts from zero and writes its own profile, also where the name has no %p.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: rm -f %t.parent.qdprof*
// RUN: env QDADVISE_OPTIONS=profile=%t.parent.qdprof %t > %t.child-id
// RUN: %python %S/Inputs/dump.py %t.parent.qdprof | FileCheck %s --check-prefix=PARENT
// RUN: mv %t.parent.qdprof.* %t.child.qdprof
// RUN: %python %S/Inputs/dump.py %t.child.qdprof | FileCheck %s --check-prefix=CHILD
//
// PARENT: events 300 dropped 0 unmatched 0
// PARENT: section 10 lock a acquisitions 100
// CHILD: events 150 dropped 0 unmatched 0
// CHILD: threads 1 most 1
// CHILD: section 10 lock a acquisitions 50
#include "sites.h"
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)

int main(void) {
  for (int i = 0; i < 100; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 50; ++i) {
      lockAt(&sites[0], &a);
      unlockAt(&sites[1], &a);
    }
    exit(0);
  }
  int status = 1;
  return waitpid(child, &status, 0) != child || status != 0;
}
