// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code of another version of the plugin is not recorded, which the program says as it begins, and
// its profile does: a record of another version, or sleds that are told of by the name from before
// their records had 8 bytes.
//
// REQUIRES: llvm-free-tests
// RUN: %clang -O1 -I%S/Inputs %s -o %t -L%libdir -Wl,-rpath,%libdir -lqdadvise_rt
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t record 2>&1 | FileCheck %s
// RUN: %qdadvise report %t.qdprof | FileCheck %s --check-prefix=REPORT
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t sleds 2>&1 | FileCheck %s
// RUN: %qdadvise report %t.qdprof | FileCheck %s --check-prefix=REPORT
// RUN: env QDADVISE_OPTIONS=profile=%t.qdprof %t none 2>&1 | FileCheck %s --check-prefix=NONE --allow-empty
// RUN: %qdadvise report %t.qdprof | FileCheck %s --check-prefix=NONE
//
// CHECK: qdadvise: warning: some code was instrumented by another version of QDAdvise's plugin
// CHECK-NOT: warning
// REPORT: note: some code is missing: another version of QDAdvise's plugin instrumented
// NONE-NOT: another version
#include "sites.h"
#include <string.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static struct site sites[] = {MUTEX_SITE(roleAcquire, 10, "main()", "a", 1),
                              MUTEX_SITE(roleRelease, 12, "main()", "a", 1)};
REGISTER(sites)
static struct site other[] = {MUTEX_SITE(roleAcquire, 20, "main()", "a", 1)};

struct oldSled {
  int32_t sled, target;
  uint32_t instant;
};
__attribute__((weak)) void __qdadvise_register_sleds(const void *begin, const void *end);

int main(int count, char **arguments) {
  static const struct oldSled sleds[1];
  other[0].version = 3;
  if (count > 1 && strcmp(arguments[1], "record") == 0 && __qdadvise_register)
    __qdadvise_register(other, other + 1);
  if (count > 1 && strcmp(arguments[1], "sleds") == 0 && __qdadvise_register_sleds)
    __qdadvise_register_sleds(sleds, sleds + 1);
  // As every old object does that has none.
  if (__qdadvise_register_sleds)
    __qdadvise_register_sleds(sleds, sleds);
  for (int i = 0; i < 100; ++i) {
    lockAt(&sites[0], &a);
    unlockAt(&sites[1], &a);
  }
  return 0;
}
