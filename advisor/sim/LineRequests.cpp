// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/LineRequests.h"

#include <algorithm>
#include <utility>

namespace qdadvise::sim {

std::optional<Time> LineRequests::ask(MulticoreThread &thread, CacheLine &line, Need need,
                                      Time at) {
  // Nobody waits for a posted request: the next one is on its way before this one is there.
  const Time arrival = need == Need::posted ? at : at + costs.request;
  const Time ready = servedAt(line, thread.core, arrival);
  if (line.waiting.empty() && ready < events.earliest())
    return serve(thread, line, need, ready, arrival);
  thread.request = {&line, need, arrival};
  line.waiting.push_back(thread.id);
  events.clear(thread.id);
  // Each of those who wait is the next one with the same probability.
  const bool isFirst = line.waiting.size() == 1;
  if (isFirst || (arrival <= line.freeAt && oneOf(line.waiting.size()) == 0)) {
    std::swap(line.waiting.front(), line.waiting.back());
    if (!isFirst)
      events.clear(line.waiting.back());
    events.set(thread.id, ready);
  }
  return std::nullopt;
}

/// A request that waited has the line as soon as if the owner had given it away at once.
Time LineRequests::serve(const MulticoreThread &thread, CacheLine &line, Need need, Time at,
                         Time arrival) {
  return caches.serve(line, thread.core, need, at,
                      at == arrival ? costs.request : at - std::min(at, line.freeAt));
}

void LineRequests::goOn(MulticoreThread &thread, Time at) {
  CacheLine &line = *std::exchange(thread.request.line, nullptr);
  std::swap(line.waiting.front(), line.waiting.back());
  line.waiting.pop_back();
  const Time there = serve(thread, line, thread.request.need, at, thread.request.arrival);
  events.set(thread.id, there);
  letSiblings(line, thread.core, thread.request.need, there);
  letNext(line);
}

/// Other threads of the core that wait for the line get it, too.
void LineRequests::letSiblings(CacheLine &line, std::uint32_t processor, Need need, Time there) {
  if (!caches.shareCores() || isAtHome(need))
    return;
  std::erase_if(line.waiting, [&](std::uint32_t id) {
    MulticoreThread &other = threads[id];
    if (caches.coreOf(other.core) != caches.coreOf(processor) ||
        (need == Need::copy && other.request.need != Need::copy))
      return false;
    other.request.line = nullptr;
    events.set(id, there += caches.betweenSiblings());
    return true;
  });
}

/// Chooses who is served next.
void LineRequests::letNext(CacheLine &line) {
  if (line.waiting.empty())
    return;
  std::swap(line.waiting.front(), line.waiting[oneOf(line.waiting.size())]);
  const std::uint32_t id = line.waiting.front();
  events.set(id, servedAt(line, threads[id].core, threads[id].request.arrival));
}

} // namespace qdadvise::sim
