// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random networks for property tests: usual ones, and extreme ones that nobody would write but that
// predictions have to survive.
#pragma once

#include "advisor/network/Network.h"
#include "runtime/abi/lock_algorithms.h"

#include <cstdint>
#include <vector>

namespace qdadvise::test {

/// A network, and what to predict of it.
struct RandomCase {
  Network network;
  std::vector<LockKind> kinds; ///< by lock
  int threads = 1;
};

/// 1 to 6 locks, times of 10 ns to 1 ms, cv up to 3, 1 to 64 threads; classes, nesting, readers,
/// instances.
RandomCase usualCase(std::uint64_t seed);

/// Times of 0.01 ns to 1 s beside each other, cv up to 100, rare transitions, 1 to 4096 threads,
/// and locks that are taken inside each other in any order.
RandomCase extremeCase(std::uint64_t seed);

} // namespace qdadvise::test
