// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The door of `hooks=call`: instrumented code calls in directly.
#include "runtime/hooks.h"

using namespace qdadvise;
using namespace qdadvise::runtime;

extern "C" __attribute__((visibility("default"))) void
__qdadvise_event(SiteRecord *site, std::uint32_t instant, const void *address) {
  std::uint32_t index = __atomic_load_n(&site->index, __ATOMIC_RELAXED);
  if (__builtin_expect(index == 0, 0)) {
    index = registerLate(*site);
    if (index == 0)
      return countDropped();
  }
  std::uint32_t flags = 0;
  if (instant == static_cast<std::uint32_t>(Instant::attempt))
    flags = readLockWord(site->kind, site->flags, address);
  recordEvent(packEvent(index - 1, static_cast<Instant>(instant), flags),
              reinterpret_cast<std::uintptr_t>(address), stackPointer());
}
