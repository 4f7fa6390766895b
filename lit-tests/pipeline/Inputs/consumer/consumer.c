/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include <qdadvise/locks/locks_c.h>

static qdadvise_mrqd lock = QDADVISE_MRQD_INITIALIZER;

static void *increment(void *counter) {
  ++*(int *)counter;
  return counter;
}

int main(void) {
  int counter = 0;
  qdadvise_mrqd_delegate(&lock, increment, &counter);
  qdadvise_mrqd_lock_shared(&lock);
  const int seen = counter;
  qdadvise_mrqd_unlock_shared(&lock);
  return seen == 1 ? 0 : 1;
}
