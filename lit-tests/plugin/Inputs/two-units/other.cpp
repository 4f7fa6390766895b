// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Its own bump() stands at the line and column of main.cpp's, and is another site
// all the same.
#include "store.h"

#include <cstdio>
#include <mutex>

// Line 12, as in main.cpp.
static void bump() { global.lock(), global.unlock(); }

int fromOther(Store &store) {
  const int next = store.next();
  bump();
  std::puts("other");
  return next;
}
