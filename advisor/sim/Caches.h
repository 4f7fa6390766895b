// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The caches of the virtual multicore: what it takes a processor to get a line, and which cores
// have it then. A request has a latency, until the line is there, and an occupancy, until the next
// request for the same line is served.
#pragma once

#include "advisor/machine/Processors.h"
#include "advisor/sim/CacheLines.h"
#include "advisor/sim/EventQueue.h"
#include "advisor/sim/MulticoreCosts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace qdadvise::sim {

/// What a processor asks of a line.
enum class Need : std::uint8_t {
  copy,
  alone,
  atHome, ///< the result of an atomic instruction, which the line's home executes (SIM14)
  posted, ///< the same where nobody waits for the result
};
inline bool isAtHome(Need need) { return need == Need::atHome || need == Need::posted; }

class Caches {
public:
  /// `costs` must outlive the caches.
  explicit Caches(const MulticoreCosts &costs);

  CacheLine &at(const void *address) { return lines.at(address); }
  std::uint32_t coreOf(std::uint32_t processor) const { return cores[processor]; }
  bool shareCores() const { return costs.threadsPerCore > 1; }
  /// From one thread of a core to another.
  Time betweenSiblings() const { return costs.sameCore; }

  /// When a processor that asks at that time may use the line as its core has it, or will have it
  /// by an earlier request. Nothing where another request is necessary.
  std::optional<Time> has(CacheLine &line, std::uint32_t processor, Need need, Time at) const;

  /// Whether a core of another socket has the line alone.
  bool isOwnedElsewhere(const CacheLine &line, std::uint32_t processor) const {
    return line.owner != CacheLine::nobody && !line.isIn(sockets[cores[processor]]);
  }

  /// Gives a line that nobody has touched yet to the processor's core.
  void placeIfNew(CacheLine &line, std::uint32_t processor) const {
    if (line.isNowhere() && line.waiting.empty()) {
      line.giveTo(cores[processor], sockets[cores[processor]]);
      line.isWritten = true;
    }
  }

  /// Serves a request, not before `line.freeAt`. Returns when the processor has the line, which is
  /// `ahead` sooner where the request has travelled for so long while nobody else was served. A
  /// core that finds the line nowhere has it alone.
  Time serve(CacheLine &line, std::uint32_t processor, Need need, Time at, Time ahead);

private:
  Time farthest(const CacheLine &line, std::uint32_t core) const;
  Time serveCopy(CacheLine &line, std::uint32_t core, Time at) const;
  Time serveAlone(CacheLine &line, std::uint32_t core, Time at) const;
  Time serveAtHome(CacheLine &line, std::uint32_t core, Need need, Time at) const;

  const MulticoreCosts &costs;
  std::vector<std::uint32_t> cores;   ///< by processor
  std::vector<std::uint32_t> sockets; ///< by core
  CacheLines lines;
};

} // namespace qdadvise::sim
