// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/Caches.h"

#include <algorithm>
#include <bit>

namespace qdadvise::sim {

Caches::Caches(const MulticoreCosts &costs) : costs(costs) {
  const Processors processors(costs.cores, costs.sockets, costs.threadsPerCore);
  sockets.resize(static_cast<std::size_t>(processors.coreEnd()));
  for (int processor = 0; processor < costs.cores; ++processor) {
    const auto core = static_cast<std::uint32_t>(processors.coreOf(processor));
    cores.push_back(core);
    sockets[core] = static_cast<std::uint32_t>(processors.socketOf(processor));
  }
}

/// What it takes to reach the farthest copy.
Time Caches::farthest(const CacheLine &line, std::uint32_t core) const {
  return line.isOnlyIn(sockets[core]) ? costs.sameSocket : costs.crossSocket;
}

std::optional<Time> Caches::has(CacheLine &line, std::uint32_t processor, Need need,
                                Time at) const {
  const std::uint32_t core = cores[processor];
  if (!line.expected.empty()) {
    std::erase_if(line.expected, [at](const CacheLine::Expected &one) { return one.there <= at; });
    for (const CacheLine::Expected &one : line.expected)
      if (one.core == core && (one.alone || need == Need::copy))
        return one.there + costs.sameCore;
  }
  if (need == Need::copy ? line.isAt(core) : line.isOwnedBy(core))
    return at;
  return std::nullopt;
}

/// A copy of a line that nobody has alone is handed out before the one before it has arrived.
Time Caches::serveCopy(CacheLine &line, std::uint32_t core, Time at) const {
  const std::uint32_t socket = sockets[core];
  Time &arrival = line.arrivals[socket];
  if (line.isNowhere()) {
    line.giveTo(core, sockets[core]);
    return line.freeAt = at + costs.sameSocket;
  }
  if (line.owner != CacheLine::nobody) { // who has it alone has to give it away first
    const Time there = at + farthest(line, core);
    if (line.isWritten && costs.readsGetAlone()) { // who reads it will write it (SIM15)
      line.giveTo(core, socket);
      return line.freeAt = there;
    }
    line.owner = CacheLine::nobody;
    line.add(core, socket);
    line.arrivals.fill(0);
    arrival = there;
    line.freeAt = at + costs.sameSocket; // the owner's socket hands out copies from then on
    return there;
  }
  const bool isNear = line.isIn(socket);
  const Time there = std::max(arrival, at + (isNear ? costs.copy : costs.crossSocket));
  if (!isNear)
    arrival = there;
  line.add(core, socket);
  // Each socket that has a copy hands out others.
  line.freeAt = at + costs.copyInterval / std::popcount(line.sockets);
  return there;
}

Time Caches::serveAlone(CacheLine &line, std::uint32_t core, Time at) const {
  const Time there = at + farthest(line, core);
  line.giveTo(core, sockets[core]);
  line.isWritten = true;
  line.freeAt = there;
  return there;
}

/// The home takes the line back from the cores that have it, and nobody has it then (SIM14). The
/// request has travelled already.
Time Caches::serveAtHome(CacheLine &line, std::uint32_t core, Need need, Time at) const {
  const Time back = line.isOnlyAt(core) ? 0 : std::max<Time>(0, farthest(line, core) - costs.copy);
  line.giveBack(sockets[core]);
  line.freeAt = at + back + costs.farInterval;
  return at + back + (need == Need::posted ? 0 : std::max<Time>(0, costs.copy - costs.request));
}

Time Caches::serve(CacheLine &line, std::uint32_t processor, Need need, Time at, Time ahead) {
  const std::uint32_t core = cores[processor];
  if (isAtHome(need) && !line.isNowhere())
    return serveAtHome(line, core, need, at);
  const Time since = at - ahead;
  const Time there = std::max(at, need == Need::copy ? serveCopy(line, core, since)
                                                     : serveAlone(line, core, since));
  line.freeAt = std::max(at, line.freeAt);
  if (costs.threadsPerCore > 1)
    line.expected.push_back({core, there, line.isOwnedBy(core)});
  return there;
}

} // namespace qdadvise::sim
