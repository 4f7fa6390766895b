// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the network of a program is after a change to its critical sections. Locks, sections and
// routing stay, so that throughput is still of the same work.
#pragma once

#include "advisor/network/Network.h"

#include <cstdint>
#include <vector>

namespace qdadvise {

/// This share of a section, 0 to 1, runs after its release instead: it is computation of the
/// thread, or of the section around it.
Network shrunk(Network network, std::size_t section, double share);

/// Each of the lock's instances becomes so many, which divide its traffic evenly.
Network split(Network network, std::size_t lock, std::uint32_t ways);

/// Each part of the lock's sections has a lock of its own, which is held for so much of all the
/// time.
Network separated(Network network, std::size_t lock, std::vector<double> heldShares);

/// These sections let each other in.
Network sharing(Network network, const std::vector<std::size_t> &sections);

/// Each of the lock's sections is one update of a cache line, which takes so long and is one at a
/// time: for an `ideal` lock.
Network asUpdates(Network network, std::size_t lock, double transferNs);

/// The lock's sections run without it, each as often on average as `runs` says (by section of the
/// network; >= 1) until nothing gets in the way: for an `ideal` lock, which nobody holds.
Network asRuns(Network network, std::size_t lock, const std::vector<double> &runs);

} // namespace qdadvise
