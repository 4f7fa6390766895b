/* Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How much memory a test has. */
#ifndef QDADVISE_TEST_RESIDENT_H
#define QDADVISE_TEST_RESIDENT_H

#include <stdio.h>

/* In pages; -1 where nothing tells. */
static inline long resident(void) {
  long size = 0, pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2)
    return -1;
  fclose(file);
  return pages;
}

#endif
