// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of one unit that return with a lock held: each call of one is a site, of a
// wrapper's wrapper, a try and a conditional one, too. What takes and gives up is none.

// RUN: %xray_c -pthread -O0 %s -o %t
// RUN: %t | FileCheck %s
// RUN: env TRACE_SITES=1 %t | FileCheck --check-prefix=SITES %s
// RUN: %xray_c -pthread -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %call_c -pthread -O0 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %call_c -pthread -O2 %s -o %t
// RUN: %t | FileCheck %s
// RUN: %patch_c -pthread -O2 %s -o %t
// RUN: %t | FileCheck %s

#include <pthread.h>

struct db {
  int n;
  pthread_mutex_t m;
};
static void dbLock(struct db *d) { pthread_mutex_lock(&d->m); }
static void dbUnlock(struct db *d) { pthread_mutex_unlock(&d->m); }
static void begin(struct db *d, int threaded) {
  if (threaded)
    dbLock(d);
}
static void end(struct db *d, int threaded) {
  if (threaded)
    dbUnlock(d);
}
static int attempt(struct db *d) {
  if (pthread_mutex_trylock(&d->m))
    return -1;
  return 0;
}

static void whole(struct db *d, int threaded) {
  begin(d, threaded);
  d->n++;
  end(d, threaded);
}
static int early(struct db *d) {
  if (attempt(d) < 0)
    return 0;
  d->n++;
  dbUnlock(d);
  return 1;
}

int main(void) {
  struct db d = {0, PTHREAD_MUTEX_INITIALIZER};
  dbLock(&d);       // CHECK: attempt [[#@LINE]] d.m #[[#M:]]
  dbUnlock(&d);     // CHECK: acquire [[#@LINE-1]] d.m #[[#M]]
  begin(&d, 1);     // CHECK: attempt [[#@LINE]] d.m #[[#M]]
  end(&d, 1);       // CHECK: acquire [[#@LINE-1]] d.m #[[#M]]
  begin(&d, 0);     // CHECK: attempt [[#@LINE]] d.m #[[#M]]
                    // CHECK-NEXT: acquire [[#@LINE-1]] d.m #[[#M]]
  attempt(&d);      // CHECK: attempt [[#@LINE]] d.m #[[#M]]
  dbUnlock(&d);     // CHECK: acquire [[#@LINE-1]] d.m #[[#M]]
  whole(&d, 1);     // CHECK-NOT: attempt [[#@LINE]]
  return !early(&d); // CHECK-NOT: attempt [[#@LINE]]
}
// SITES-DAG: site wrapper wrapper-c.c:56:3 main() | d.m | db::m | pthread_mutex_t | wrapper-c.c:23:19 | kind 0 flags 0 ordinal 0
// SITES-DAG: site wrapper wrapper-c.c:62:3 main() | d.m | db::m | pthread_mutex_t | wrapper-c.c:23:19 | kind 0 flags 1 ordinal 3
// SITES-NOT: wrapper-c.c:64:{{.*}} main() |
