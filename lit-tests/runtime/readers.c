// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers and writers of one lock in an order that is known: how many readers there were
// at once, how many busy periods and how long, and for whom the writers waited.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: %python %S/Inputs/bounds.py %t %t.qdprof | FileCheck %s --check-prefixes=CHECK,TIMES
//
// CHECK: dropped 0 unmatched 0
// CHECK-DAG: section 10 lock r acquisitions 8 {{.*}} contended 0 by writers 0
// CHECK-DAG: section 20 lock r acquisitions 3 {{.*}} contended 2 by writers 1
// TIMES-DAG: readers of r most 3 periods 4
#include "bounds.h"
#include "sites.h"

static pthread_rwlock_t r = PTHREAD_RWLOCK_INITIALIZER;
static struct site sites[] = {RWLOCK_SITE(roleAcquire, siteShared, 10, "read()", "r", 1),
                              RWLOCK_SITE(roleAcquire, 0, 20, "write()", "r", 1),
                              RWLOCK_SITE(roleRelease, 0, 30, "leave()", "r", 1)};
REGISTER(sites)

// --- threads that do what they are told ---

enum order { none, doRead, doWrite, doLeave, doEnd };
static struct actor {
  pthread_t thread;
  _Atomic(enum order) order;
  struct around last; ///< of the last order
} actors[4];

static void *act(void *of) {
  struct actor *self = of;
  for (;;) {
    const enum order order = self->order;
    if (order == doEnd)
      return NULL;
    if (order == none) {
      sched_yield();
      continue;
    }
    if (order == doLeave) {
      self->last.before = nowNs();
      event(&sites[2], atRelease, &r);
      self->last.after = nowNs();
      pthread_rwlock_unlock(&r);
    } else {
      struct site *site = &sites[order == doWrite];
      self->last.before = nowNs();
      event(site, atAttempt, &r);
      (order == doWrite ? pthread_rwlock_wrlock : pthread_rwlock_rdlock)(&r);
      event(site, atAcquire, &r);
      self->last.after = nowNs();
    }
    self->order = none;
  }
}

static void begin(int actor, enum order order) { actors[actor].order = order; }
static struct around finish(int actor) {
  while (actors[actor].order != none)
    sched_yield();
  return actors[actor].last;
}
static struct around tell(int actor, enum order order) {
  begin(actor, order);
  return finish(actor);
}

/* A writer comes while somebody is inside, who leaves when it has waited: glibc says in
 * `word` that it does. */
static struct bounds waitOf(int writer, int insider, const unsigned *word, unsigned waiting) {
  begin(writer, doWrite);
  while ((__atomic_load_n(word, __ATOMIC_RELAXED) & waiting) == 0)
    sched_yield();
  const double from = nowNs();
  spinFor(3e6);
  const struct around left = tell(insider, doLeave);
  const struct around got = finish(writer);
  return (struct bounds){left.before - from, got.after - got.before};
}

static const double length = 3e6;

int main(void) {
  for (int i = 0; i < 4; ++i)
    pthread_create(&actors[i].thread, NULL, act, &actors[i]);

  // Three at once, and one of them goes and comes back: one period.
  struct around from = tell(0, doRead);
  tell(1, doRead);
  spinFor(length);
  tell(2, doRead);
  tell(0, doLeave);
  tell(0, doRead);
  tell(0, doLeave);
  tell(2, doLeave);
  struct around to = tell(1, doLeave);
  struct bounds busy = between(from, to), longest = busy;

  // Two alone, one after the other.
  for (int i = 0; i < 2; ++i) {
    from = tell(i, doRead);
    spinFor(length);
    to = tell(i, doLeave);
    busy = sum(busy, between(from, to));
    longest = larger(longest, between(from, to));
  }

  // A writer waits for two readers, another for that writer.
  from = tell(0, doRead);
  tell(1, doRead);
  tell(0, doLeave);
  const struct bounds forReader = waitOf(2, 1, &r.__data.__readers, 2);
  to = actors[1].last;
  busy = sum(busy, between(from, to));
  longest = larger(longest, between(from, to));
  const struct bounds forWriter = waitOf(3, 2, &r.__data.__writers_futex, 2);
  tell(3, doLeave);
  const struct around alone = tell(2, doWrite);
  tell(2, doLeave);

  for (int i = 0; i < 4; ++i)
    begin(i, doEnd);
  for (int i = 0; i < 4; ++i)
    pthread_join(actors[i].thread, NULL);
  say("busy r", busy);
  say("longest r", longest);
  say("wait-by-writer 20", forWriter);
  say("wait 20", sum(sum(forReader, forWriter), (struct bounds){0, alone.after - alone.before}));
}
