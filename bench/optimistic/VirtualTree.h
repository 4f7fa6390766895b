// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A red-black tree that virtual threads look keys up in and change, with a lock or optimistically.
// Every operation is really done; how long it takes follows from its accesses to memory.
//
// An optimistic operation works on the tree as it is when it begins and keeps what it would write
// to itself. When its time is over it looks whether another one has meanwhile written what it has
// read or would write. If so, it begins again; if not, what it writes takes effect. That takes no
// time of its own, and there is no lock: transactions as free as those of Roy, Hand and Harris
// (HotPar 2009, section 2.3), with invisible readers.
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
  std::array<double, kinds> accessNs{}; ///< what an access takes in such an operation
  Duration local;                       ///< between two operations
};

struct Access {
  Word *place;
  bool writes;
};

/// What an operation has done to memory.
using Traced = std::function<void(const Operation &, const std::vector<Access> &)>;
/// Operations of one thread on a tree, one after the other.
void traceOneThread(const Mix &mix, std::uint64_t operations, std::uint64_t seed,
                    const Traced &traced);

struct TreeRun {
  double throughputPerS = 0; ///< operations
  double runs = 1;           ///< of an operation, until one is through
  bool intact = true;        ///< the tree is one afterwards
};

/// With a lock of this algorithm around every operation; "": optimistically. On the machine's
/// cores, as many threads; the first tenth of the operations is not counted.
Expected<TreeRun> runTree(const TreeProgram &program, const std::string &kind,
                          const Machine &machine, int threads, std::uint64_t operations,
                          std::uint64_t seed);

} // namespace qdadvise::optimistic
