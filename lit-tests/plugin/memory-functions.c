// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `memory` knows what libc's memory and string functions access, as calls and as intrinsics.

// RUN: %memory_c -O0 -fno-builtin %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O0 %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O1 -fno-builtin %s %memory_trace -o %t && %t | FileCheck %s
// RUN: %memory_c -O2 -fno-builtin -D_FORTIFY_SOURCE=2 %s %memory_trace -o %t && %t | FileCheck %s

#include <pthread.h>
#include <string.h>
#include <strings.h>

struct {
  char text[100];  // at 0
  char other[100]; // at 100
} data = {"seven or", "seven and more"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile size_t ten = 10;
static volatile const void *result;
static volatile long number;

// A section of one call; what it accesses of `data` is checked.
#define SECTION(...)                                                                               \
  do {                                                                                             \
    size_t n = ten;                                                                                \
    (void)n;                                                                                       \
    pthread_mutex_lock(&lock);                                                                     \
    __VA_ARGS__;                                                                                   \
    pthread_mutex_unlock(&lock);                                                                   \
  } while (0)

int main(void) {
  SECTION(number = (long)strlen(data.text));
  // CHECK: read 9 at 0
  // CHECK: released{{.*}}
  SECTION(number = (long)strnlen(data.text, n));
  // CHECK: read 9 at 0
  // CHECK: released{{.*}}
  SECTION(number = (long)strnlen(data.other, n));
  // CHECK: read 10 at 100
  // CHECK: released{{.*}}
  SECTION(number = strcmp(data.text, data.other));
  // CHECK: read 9 at 0
  // CHECK-NEXT: read 15 at 100
  // CHECK: released{{.*}}
  SECTION(number = strncmp(data.text, data.other, n));
  // CHECK: read 9 at 0
  // CHECK-NEXT: read 10 at 100
  // CHECK: released{{.*}}
  SECTION(number = memcmp(data.text, data.other, n));
  // CHECK: read 10 at 0
  // CHECK-NEXT: read 10 at 100
  // CHECK: released{{.*}}
  SECTION(result = memchr(data.text, 'v', n));
  // CHECK: read 3 at 0
  // CHECK: released{{.*}}
  SECTION(result = memchr(data.text, 'X', n));
  // CHECK: read 10 at 0
  // CHECK: released{{.*}}
  SECTION(result = strchr(data.other, ' '));
  // CHECK: read 15 at 100
  // CHECK: released{{.*}}
  SECTION(strcat(data.text, "!"));
  // CHECK: read 9 at 0
  // CHECK-NEXT: write 2 at 8
  // CHECK-NEXT: read 2 at elsewhere
  // CHECK: released{{.*}}
  SECTION(strcpy(data.other + 20, data.text));
  // CHECK: write 10 at 120
  // CHECK-NEXT: read 10 at 0
  // CHECK: released{{.*}}
  SECTION(strncpy(data.other + 40, data.text, n + 2));
  // CHECK: write 12 at 140
  // CHECK-NEXT: read 10 at 0
  // CHECK: released{{.*}}
  SECTION(memcpy(data.text, data.other, n));
  // CHECK: write 10 at 0
  // CHECK-NEXT: read 10 at 100
  // CHECK: released{{.*}}
  SECTION(memmove(data.text, data.other + 5, n));
  // CHECK: write 10 at 0
  // CHECK-NEXT: read 10 at 105
  // CHECK: released{{.*}}
  SECTION(memset(data.other, 0, n));
  // CHECK: write 10 at 100
  // CHECK: released{{.*}}
  SECTION(bzero(data.other, n));
  // CHECK: write 10 at 100
  // CHECK: released{{.*}}
}
