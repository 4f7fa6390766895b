// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four threads hold one lock for as long as they know, by turns: what the profile says of
// holding and waiting agrees with what each saw between its own hooks.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/Inputs/bounds.py %t %t.qdprof | FileCheck %s
//
// CHECK: dropped 0 unmatched 0
#include "bounds.h"
#include "sites.h"

enum { threads = 4, rounds = 10 };

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t together;
static struct site sites[] = {
    MUTEX_SITE(roleAcquire, 10, "first()", "a", 1), MUTEX_SITE(roleAcquire, 11, "second()", "a", 1),
    MUTEX_SITE(roleAcquire, 12, "third()", "a", 1), MUTEX_SITE(roleAcquire, 13, "last()", "a", 1),
    MUTEX_SITE(roleRelease, 20, "leave()", "a", 1)};
REGISTER(sites)

static struct bounds waits[threads], holds[threads];

/* Each thread holds the lock when its turn has come, while the later ones wait for it in the
 * lock: thread k waits for what those before it hold. */
static void *work(void *number) {
  const int k = (int)(intptr_t)number;
  for (int i = 0; i < rounds; ++i) {
    struct around call, inside, giving;
    pthread_barrier_wait(&together);
    spinFor(2e5 * k);
    call.before = nowNs();
    event(&sites[k], atAttempt, &a);
    inside.before = nowNs();
    pthread_mutex_lock(&a);
    inside.after = nowNs();
    event(&sites[k], atAcquire, &a);
    call.after = nowNs();
    spinFor(1e6 * (k + 1));
    giving.before = nowNs();
    event(&sites[threads], atRelease, &a);
    giving.after = nowNs();
    pthread_mutex_unlock(&a);
    waits[k] =
        sum(waits[k], (struct bounds){inside.after - inside.before, call.after - call.before});
    holds[k] =
        sum(holds[k], (struct bounds){giving.before - call.after, giving.after - inside.after});
  }
  return NULL;
}

int main(void) {
  pthread_t thread[threads];
  pthread_barrier_init(&together, NULL, threads);
  for (int k = 0; k < threads; ++k)
    pthread_create(&thread[k], NULL, work, (void *)(intptr_t)k);
  for (int k = 0; k < threads; ++k)
    pthread_join(thread[k], NULL);
  for (int k = 0; k < threads; ++k) {
    char name[16];
    snprintf(name, sizeof name, "wait %d", 10 + k);
    if (k != 0) // the first one hardly waits
      say(name, waits[k]);
    snprintf(name, sizeof name, "hold %d", 10 + k);
    say(name, holds[k]);
  }
}
