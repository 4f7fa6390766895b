// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests for cache lines, which are served one at a time. Where several wait, chance decides
// which is next: caches do not keep them in the order in which they came.
#pragma once

#include "advisor/sim/Caches.h"
#include "advisor/sim/EventQueue.h"
#include "advisor/sim/MulticoreThread.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

namespace qdadvise::sim {

class LineRequests {
public:
  /// The references must outlive the object.
  LineRequests(std::vector<MulticoreThread> &threads, EventQueue &events, Caches &caches,
               const MulticoreCosts &costs, std::uint64_t seed)
      : threads(threads), events(events), caches(caches), costs(costs),
        random(static_cast<std::minstd_rand::result_type>(seed)) {}

  /// The thread asks for a line that its core does not have. Returns when it has it, where that is
  /// known. Otherwise the request waits, and the thread's event is to be given to `goOn`.
  std::optional<Time> ask(MulticoreThread &thread, CacheLine &line, Need need, Time at);

  /// The same where nobody else wants the line, and who has it gives it away at once.
  Time askAtOnce(const MulticoreThread &thread, CacheLine &line, Need need, Time at) {
    return caches.serve(line, thread.core, need, at, 0);
  }

  /// The event of a thread whose request waits has come. It is served now, and the thread's next
  /// event is that the line is there.
  void goOn(MulticoreThread &thread, Time at);

private:
  /// When the line leaves for a processor whose request has arrived then (SIM11), (SIM16).
  Time servedAt(const CacheLine &line, std::uint32_t processor, Time arrival) const {
    if (arrival > line.freeAt)
      return arrival;
    const bool isSentOn = line.waiting.size() > 1 && caches.isOwnedElsewhere(line, processor);
    const Time kept = line.owner == CacheLine::nobody ? 0 : costs.kept;
    return line.freeAt + (isSentOn ? std::max(costs.request, kept) : kept);
  }
  Time serve(const MulticoreThread &thread, CacheLine &line, Need need, Time at, Time arrival);
  void letSiblings(CacheLine &line, std::uint32_t processor, Need need, Time there);
  void letNext(CacheLine &line);
  /// One of `count`, each with the same probability.
  std::uint32_t oneOf(std::size_t count) {
    return static_cast<std::uint32_t>(random()) % static_cast<std::uint32_t>(count);
  }

  std::vector<MulticoreThread> &threads;
  EventQueue &events;
  Caches &caches;
  const MulticoreCosts &costs;
  std::minstd_rand random;
};

} // namespace qdadvise::sim
