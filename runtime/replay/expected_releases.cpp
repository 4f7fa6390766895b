// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// See expected_releases.h.
#include "runtime/replay/expected_releases.h"

namespace qdadvise::runtime {

bool ExpectedReleases::take(std::uint64_t address) {
  if (!mayExpect || address == 0)
    return false;
  bool found = false;
  mayExpect = false;
  for (std::uint64_t &candidate : expected) {
    if (candidate == address && !found) {
      candidate = 0;
      found = true;
    }
    mayExpect |= candidate != 0;
  }
  return found;
}

void ExpectedReleases::forget(const HeldLock &lock) {
  if (!mayExpect)
    return;
  mayExpect = false;
  for (std::uint64_t &candidate : expected) {
    if (candidate != 0 && lock.has(candidate))
      candidate = 0;
    mayExpect |= candidate != 0;
  }
}

} // namespace qdadvise::runtime
