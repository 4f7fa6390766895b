/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The locks from C: every function once and the counters right at the end. */
#include <qdadvise/locks/locks_c.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { threadCount = 4, rounds = 3000 };

static int failed(int line, const char *what) {
  fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, line, what);
  return 1;
}
#define CHECK(condition) ((condition) ? 0 : failed(__LINE__, #condition))

static void *increment(void *counter) {
  ++*(long *)counter;
  return counter;
}
static void incrementOnly(void *counter) { ++*(long *)counter; }

static int onThreads(void *(*work)(void *)) {
  pthread_t threads[threadCount];
  int wrong[threadCount] = {0}, failures = 0;
  for (int i = 0; i < threadCount; ++i)
    pthread_create(&threads[i], NULL, work, &wrong[i]);
  for (int i = 0; i < threadCount; ++i) {
    pthread_join(threads[i], NULL);
    failures += CHECK(!wrong[i]);
  }
  return failures;
}

#define LOCKABLE(name, INITIALIZER)                                                                \
  static qdadvise_##name name = QDADVISE_##INITIALIZER##_INITIALIZER;                              \
  static long name##Count;                                                                         \
  static void *name##Work(void *wrong) {                                                           \
    for (int round = 0; round < rounds; ++round) {                                                 \
      if (round % 3 != 0)                                                                          \
        qdadvise_##name##_lock(&name);                                                             \
      else if (!qdadvise_##name##_try_lock(&name))                                                 \
        qdadvise_##name##_lock(&name);                                                             \
      ++name##Count;                                                                               \
      qdadvise_##name##_unlock(&name);                                                             \
    }                                                                                              \
    (void)wrong;                                                                                   \
    return NULL;                                                                                   \
  }                                                                                                \
  static int name##Test(void) {                                                                    \
    int failures = onThreads(name##Work);                                                          \
    failures += CHECK(name##Count == (long)threadCount * rounds);                                  \
    static qdadvise_##name fresh;                                                                  \
    memset(&fresh, 0xff, sizeof fresh);                                                            \
    qdadvise_##name##_init(&fresh);                                                                \
    failures += CHECK(qdadvise_##name##_try_lock(&fresh));                                         \
    failures += CHECK(!qdadvise_##name##_try_lock(&fresh));                                        \
    qdadvise_##name##_unlock(&fresh);                                                              \
    return failures;                                                                               \
  }

#define DELEGATING(name)                                                                           \
  static void *name##Delegate(void *wrong) {                                                       \
    for (int round = 0; round < rounds; ++round)                                                   \
      if (round % 2 == 0)                                                                          \
        qdadvise_##name##_delegate_detached(&name, incrementOnly, &name##Count);                   \
      else if (qdadvise_##name##_delegate(&name, increment, &name##Count) != &name##Count)         \
        *(int *)wrong = 1;                                                                         \
    return NULL;                                                                                   \
  }                                                                                                \
  static int name##DelegateTest(void) {                                                            \
    name##Count = 0;                                                                               \
    const int failures = onThreads(name##Delegate);                                                \
    return failures + CHECK(name##Count == (long)threadCount * rounds);                            \
  }

LOCKABLE(spinlock, SPINLOCK)
LOCKABLE(ticket, TICKET)
LOCKABLE(mcs, MCS)
LOCKABLE(clh, CLH)
LOCKABLE(qd, QD)
DELEGATING(qd)
LOCKABLE(mrqd, MRQD)
DELEGATING(mrqd)

static void *readAndWrite(void *wrong) {
  for (int round = 0; round < rounds; ++round)
    if (round % 4 == 0) {
      qdadvise_mrqd_delegate(&mrqd, increment, &mrqdCount);
    } else {
      if (round % 2 == 0 || !qdadvise_mrqd_try_lock_shared(&mrqd))
        qdadvise_mrqd_lock_shared(&mrqd);
      const long seen = mrqdCount;
      if (seen != mrqdCount)
        *(int *)wrong = 1;
      qdadvise_mrqd_unlock_shared(&mrqd);
    }
  return NULL;
}

static int readersTest(void) {
  const int failures = onThreads(readAndWrite);
  qdadvise_mrqd_lock_shared(&mrqd);
  const int alone = CHECK(!qdadvise_mrqd_try_lock(&mrqd));
  qdadvise_mrqd_unlock_shared(&mrqd);
  return failures + alone;
}

int cApiTest(void);
int cApiTest(void) {
  const int failures = spinlockTest() + ticketTest() + mcsTest() + clhTest() + qdTest() +
                       qdDelegateTest() + mrqdTest() + mrqdDelegateTest() + readersTest();
  qdadvise_qd_destroy(&qd);
  qdadvise_mrqd_destroy(&mrqd);
  return failures;
}
