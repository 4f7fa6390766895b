// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A red-black tree that virtual threads use with a lock or optimistically. Every operation is
// really executed; how long it takes follows from its accesses to memory.
//
// An optimistic operation works on the tree as it is when it begins, and keeps its writes private.
// At the end of its time it checks whether another operation has written what it has read or would
// write. If so, it begins again; if not, its writes take effect. That takes no time of its own, and
// there is no lock: transactions as free as those of Roy, Hand and Harris (HotPar 2009,
// section 2.3), with invisible readers.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"
#include "bench/optimistic/Tree.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace qdadvise::optimistic {

struct TreeProgram {
  Mix mix;
  std::array<double, kinds> accessNs{}; ///< the time of an access in such an operation
  Duration local;                       ///< the time between two operations
};

struct Access {
  Word *place;
  bool writes;
};

/// The accesses of an operation to memory.
using Traced = std::function<void(const Operation &, const std::vector<Access> &)>;
/// The operations of one thread on a tree, one after the other.
void traceOneThread(const Mix &mix, std::uint64_t operations, std::uint64_t seed,
                    const Traced &traced);

struct TreeRun {
  double throughputPerS = 0; ///< of operations
  double runs = 1;           ///< of an operation, until one takes effect
  bool intact = true;        ///< the tree is valid afterwards
};

/// Simulates the threads on the cores of the machine, with a lock of this algorithm around every
/// operation, or optimistically where it is "". The first tenth of the operations does not count.
Expected<TreeRun> runTree(const TreeProgram &program, LockKind kind, const Machine &machine,
                          int threads, std::uint64_t operations, std::uint64_t seed);

} // namespace qdadvise::optimistic
