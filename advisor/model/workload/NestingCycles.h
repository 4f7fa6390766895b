// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that threads take inside each other in different orders (docs/theory/nesting.md, (NST9)).
// If nothing else keeps the orders apart, threads wait for each other for ever. A model of each
// lock by itself has no solution then: every wait makes the others longer. But one thread can
// always go on if the locks of such a cycle are one lock, which is the worst that a program without
// that danger can be.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/Network.h"

#include <string>
#include <vector>

namespace qdadvise {

struct NestingCycle {
  std::vector<std::size_t> locks; ///< ascending
  /// Each of the locks has one instance, so that threads in different orders do meet.
  bool alwaysMeets = true;
};

/// The cycles among the locks that threads visit, each of at least two locks. Cycles inside one
/// common outer lock are none: only one thread at a time is there.
std::vector<NestingCycle> nestingCycles(const Network &network,
                                        const std::vector<Traffic> &traffic);

/// The network in which the locks of each cycle are one, the first of them. What it costs to take
/// one of them inside another, alone, becomes part of the holding time.
Network withCyclesAsOneLock(const Network &network, const std::vector<NestingCycle> &cycles,
                            const std::vector<LockKind> &kinds, const Machine &machine);

/// "a, b and c"
std::string namesOf(const NestingCycle &cycle, const Network &network);

} // namespace qdadvise
