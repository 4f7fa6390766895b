// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the network of a program as a fix would change its critical sections. Locks, sections and
// routing stay, so that throughput still measures the same work.
#pragma once

#include "advisor/network/Network.h"

#include <cstdint>
#include <vector>

namespace qdadvise {

/// Moves this share of a section (0 to 1) behind its release, where it is computation of the thread
/// or of the section around it.
Network shrunk(Network network, std::size_t section, double share);

/// Replaces each of the lock's instances by so many, which divide its traffic evenly.
Network split(Network network, std::size_t lock, std::uint32_t ways);

/// Gives each part of the lock's sections a lock of its own. `heldShares`: the parts' shares of the
/// time that the lock is held.
Network separated(Network network, std::size_t lock, std::vector<double> heldShares);

/// Lets these sections run at the same time.
Network sharing(Network network, const std::vector<std::size_t> &sections);

/// Replaces each of the lock's sections by one update of a cache line. Updates take so long and run
/// one at a time. For an `ideal` lock.
Network asUpdates(Network network, std::size_t lock, double transferNs);

/// Runs the lock's sections without it, each as often on average as `runs` says (by section of the
/// network; >= 1), until it meets no conflict. For an `ideal` lock, which nobody holds.
Network asRuns(Network network, std::size_t lock, const std::vector<double> &runs);

} // namespace qdadvise
