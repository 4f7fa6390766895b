// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A malformed key costs one line and its default; a profile that cannot be written
// costs one line. The program itself runs on, and standard output is its own.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:enabled=maybe:colour=red %t > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=MALFORMED < %t.err
// RUN: echo program > %t.expected && diff %t.out %t.expected
// RUN: env QDADVISE_OPTIONS=profile=%t.nowhere/x.qdprof %t 2>&1 | FileCheck %s --check-prefix=NOWHERE
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof:verbose=1 %t 2>&1 | FileCheck %s --check-prefix=VERBOSE
// RUN: env QDADVISE_OPTIONS=profile=%t.%%b.qdprof %t && ls %t.options.c.tmp.qdprof
// RUN: env QDADVISE_OPTIONS=profile=%t.gone.qdprof:counters_only=sites:threaded=0 %t 2>&1 | FileCheck %s --check-prefix=GONE
// RUN: %python %S/Inputs/dump.py %t.gone.qdprof | FileCheck %s --check-prefix=TIMES
// RUN: env QDADVISE_OPTIONS=profile=%t.limit.qdprof:max_sections=1:max_locks=1 %t
// RUN: %python %S/Inputs/dump.py %t.limit.qdprof | FileCheck %s --check-prefix=LIMITS
//
// MALFORMED: qdadvise: warning: QDADVISE_OPTIONS: 'enabled=maybe': the default is used; the value must be 0, 1 or never
// MALFORMED-NEXT: qdadvise: warning: QDADVISE_OPTIONS: 'colour=red': unknown key{{.*}}
// MALFORMED-NOT: {{.}}
// NOWHERE: program
// NOWHERE-NEXT: qdadvise: error: cannot write the profile '{{.*}}nowhere/x.qdprof': No such file or directory{{.*}}
// NOWHERE-NOT: {{.}}
// VERBOSE: qdadvise: note: wrote 600 events to
// GONE: qdadvise: warning: QDADVISE_OPTIONS: 'counters_only=sites': this key was dropped and is ignored; {{.*}}slices=100
// GONE-NOT: warning
// TIMES: flags 2
// TIMES: section 10 lock a acquisitions 100 hold count 100
// LIMITS: other 100 100
// LIMITS: section 10 lock a acquisitions 100
// LIMITS: lock (other) acquisitions 100
#include "sites.h"
#include <stdio.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "main()", "a", 1), MUTEX_SITE(roleRelease, 12, "main()", "a", 1),
    MUTEX_SITE(roleAcquire, 20, "main()", "b", 2), MUTEX_SITE(roleRelease, 22, "main()", "b", 2)};
REGISTER(sites)

int main(void) {
  for (int i = 0; i < 100; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
    lockAt(&sites[2], &b);
    unlockAt(&sites[3], &b);
  }
  puts("program");
  fflush(stdout);
  return 0;
}
