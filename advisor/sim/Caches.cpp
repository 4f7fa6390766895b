// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Caches.h"

#include <algorithm>

namespace qdadvise::sim {

Caches::Caches(const MulticoreCosts &costs)
    : costs(costs),
      coresPerSocket(static_cast<std::size_t>((costs.cores + costs.sockets - 1) / costs.sockets)) {
  for (std::size_t core = 0; core < static_cast<std::size_t>(costs.cores); ++core)
    sockets.push_back(static_cast<std::uint32_t>(core / coresPerSocket));
}

bool Caches::hasCopies(const CacheLine &line, std::uint32_t socket) const {
  const std::size_t begin = socket * coresPerSocket;
  const std::size_t end = std::min(begin + coresPerSocket, static_cast<std::size_t>(costs.cores));
  for (std::size_t core = begin; core < end;) {
    const std::size_t word = core / 64, low = core % 64;
    const std::size_t high = std::min<std::size_t>(64, low + (end - core));
    const std::uint64_t mask =
        (high == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << high) - 1) >> low << low;
    if (line.copies[word] & mask)
      return true;
    core += high - low;
  }
  return false;
}

/// What it takes to fetch a copy that `core` does not have. It comes from the nearest core that
/// has one; a line that no core has comes from the socket's own memory.
Time Caches::transfer(const CacheLine &line, std::uint32_t core) const {
  if (costs.sockets == 1 || hasCopies(line, socketOf(core)))
    return costs.sameSocket;
  for (std::uint32_t socket = 0; socket < static_cast<std::uint32_t>(costs.sockets); ++socket)
    if (hasCopies(line, socket))
      return costs.crossSocket;
  return costs.sameSocket;
}

/// What it takes to have a line alone: the time to reach the farthest copy.
Time Caches::invalidation(const CacheLine &line, std::uint32_t core) const {
  for (std::uint32_t socket = 0; socket < static_cast<std::uint32_t>(costs.sockets); ++socket)
    if (socket != socketOf(core) && hasCopies(line, socket))
      return costs.crossSocket;
  return costs.sameSocket;
}

Time Caches::copy(CacheLine &line, std::uint32_t core, Time at) {
  const Time there = std::max(at, line.busyUntil) + transfer(line, core);
  line.busyUntil = there;
  if (line.isNowhere()) {
    line.giveTo(core);
  } else {
    line.add(core);
    line.owner = CacheLine::nobody;
  }
  return there;
}

Time Caches::take(CacheLine &line, std::uint32_t core, Time at, Time extra) {
  const Time begin = std::max(at, line.busyUntil);
  const Time there = line.isOwnedBy(core) ? begin : begin + invalidation(line, core);
  line.giveTo(core);
  line.busyUntil = there + extra;
  return there;
}

} // namespace qdadvise::sim
