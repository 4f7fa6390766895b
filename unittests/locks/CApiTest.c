/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The locks from C: every function once and the counters right at the end. */
#include <qdadvise/locks/locks_c.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { threadCount = 4, rounds = 5000 };

static qdadvise_spinlock spinlock = QDADVISE_SPINLOCK_INITIALIZER;
static qdadvise_qd qd = QDADVISE_QD_INITIALIZER;
static long spinCount, qdCount;

static int failed(int line, const char *what) {
  fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, line, what);
  return 1;
}
#define CHECK(condition) ((condition) ? 0 : failed(__LINE__, #condition))

static void *increment(void *counter) {
  ++*(long *)counter;
  return counter;
}

static void *work(void *wrong) {
  for (int round = 0; round < rounds; ++round) {
    qdadvise_spinlock_lock(&spinlock);
    ++spinCount;
    qdadvise_spinlock_unlock(&spinlock);
    if (round % 3 == 0) {
      qdadvise_qd_lock(&qd);
      ++qdCount;
      qdadvise_qd_unlock(&qd);
    } else if (qdadvise_qd_delegate(&qd, increment, &qdCount) != &qdCount) {
      *(int *)wrong = 1;
    }
  }
  return NULL;
}

int cApiTest(void);
int cApiTest(void) {
  int failures = 0;
  pthread_t threads[threadCount];
  int wrong[threadCount] = {0};
  for (int i = 0; i < threadCount; ++i)
    pthread_create(&threads[i], NULL, work, &wrong[i]);
  for (int i = 0; i < threadCount; ++i) {
    pthread_join(threads[i], NULL);
    failures += CHECK(!wrong[i]);
  }
  failures += CHECK(spinCount == (long)threadCount * rounds);
  failures += CHECK(qdCount == (long)threadCount * rounds);

  qdadvise_spinlock fresh;
  memset(&fresh, 0xff, sizeof fresh);
  qdadvise_spinlock_init(&fresh);
  failures += CHECK(qdadvise_spinlock_try_lock(&fresh));
  failures += CHECK(!qdadvise_spinlock_try_lock(&fresh));
  qdadvise_spinlock_unlock(&fresh);

  qdadvise_qd freshQd;
  memset(&freshQd, 0xff, sizeof freshQd);
  qdadvise_qd_init(&freshQd);
  failures += CHECK(qdadvise_qd_try_lock(&freshQd));
  failures += CHECK(!qdadvise_qd_try_lock(&freshQd));
  qdadvise_qd_unlock(&freshQd);
  qdadvise_qd_destroy(&freshQd);
  return failures;
}
