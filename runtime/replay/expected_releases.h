// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wrapper's release is marked before the call. The releases of the primitives inside are still to
// come and belong to it.
#pragma once

#include "runtime/replay/held_locks.h"

#include <cstdint>

namespace qdadvise::runtime {

class ExpectedReleases {
public:
  bool any() const { return mayExpect; }
  void clear() { *this = {}; }

  /// `lock` was released at one of its addresses: those further in are to be released yet.
  void expectRest(const HeldLock &lock, std::uint64_t released) {
    bool further = false;
    for (unsigned i = 0; i < lock.addressCount; ++i) {
      if (further) {
        expected[next] = lock.addresses[i];
        mayExpect = true;
        next = (next + 1) % most;
      }
      further |= lock.addresses[i] == released;
    }
  }
  /// Whether this release was expected. If so, it is not any more.
  bool take(std::uint64_t address);
  /// The lock is taken again: what is released from here on is its new section.
  void forget(const HeldLock &lock);

private:
  static constexpr unsigned most = 8;

  std::uint64_t expected[most] = {}; ///< 0: free
  unsigned next = 0;
  bool mayExpect = false; ///< false: all are free
};

} // namespace qdadvise::runtime
