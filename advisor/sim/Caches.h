// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caches of the virtual multicore: what it takes a core to get a line, and which cores have it
// then.
#pragma once

#include "advisor/sim/CacheLines.h"
#include "advisor/sim/EventQueue.h"
#include "advisor/sim/MulticoreCosts.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace qdadvise::sim {

class Caches {
public:
  /// `costs` must outlive the caches.
  explicit Caches(const MulticoreCosts &costs);

  CacheLine &at(const void *address) { return lines.at(address); }
  std::uint32_t socketOf(std::uint32_t core) const { return sockets[core]; }

  /// A core asks for a copy of a line at that time. Returns when the copy is there. A core that
  /// finds the line nowhere has it alone.
  Time copy(CacheLine &line, std::uint32_t core, Time at);
  /// A core asks to have a line alone. Returns when it has; others may have the line `extra` later.
  Time take(CacheLine &line, std::uint32_t core, Time at, Time extra);

private:
  bool hasCopies(const CacheLine &line, std::uint32_t socket) const;
  Time transfer(const CacheLine &line, std::uint32_t core) const;
  Time invalidation(const CacheLine &line, std::uint32_t core) const;

  const MulticoreCosts &costs;
  std::size_t coresPerSocket;
  std::vector<std::uint32_t> sockets; ///< by core
  CacheLines lines;
};

} // namespace qdadvise::sim
