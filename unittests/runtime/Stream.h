// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events by hand: a stream whose clock ticks once a nanosecond and whose hooks cost
// nothing, replayed into tables.
#pragma once

#include "runtime/replay/replay.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace qdadvise::runtime {

class Stream {
public:
  static constexpr std::uint32_t noSection = format::none;

  Stream() : Stream(Limits{}) {}
  explicit Stream(Limits limits) : tables(arena, limits), replay(tables, context) {
    traits.reserve(1024);
    context.startStamp = 1000;
    replay.begin(0, 1, 1000);
  }

  std::uint32_t site(LockKind kind = LockKind::pthreadMutex, std::uint32_t lockClass = 0,
                     std::uint32_t flags = 0, SiteRole role = SiteRole::acquire) {
    traits.push_back({role, kind, flags, lockClass});
    context.sites = traits.data();
    return static_cast<std::uint32_t>(traits.size() - 1);
  }

  /// Advances the clock.
  Stream &after(std::uint64_t ticks) {
    now += ticks;
    return *this;
  }
  /// Frames lie deeper the larger `depth` is.
  Stream &inFrame(unsigned depth) {
    stack = 0x80000000u - 64 * depth;
    return *this;
  }
  Stream &event(Instant instant, std::uint32_t site, std::uint64_t address,
                std::uint32_t flags = 0) {
    const Event one{now, address, packEvent(site, instant, flags), stack};
    replay.run(&one, 1);
    events.push_back(one);
    return *this;
  }
  Stream &attempt(std::uint32_t site, std::uint64_t address, std::uint32_t flags = 0) {
    return event(Instant::attempt, site, address, flags);
  }
  Stream &acquire(std::uint32_t site, std::uint64_t address) {
    return event(Instant::acquire, site, address);
  }
  Stream &release(std::uint32_t site, std::uint64_t address) {
    return event(Instant::release, site, address);
  }
  /// Attempt and acquire at one instant.
  Stream &take(std::uint32_t site, std::uint64_t address) {
    return attempt(site, address).acquire(site, address);
  }

  const Section &section(std::uint32_t index) const { return tables.sections[index]; }
  /// Of the locks with a record, in order.
  std::vector<std::uint64_t> lockAddresses() const {
    std::vector<std::uint64_t> all;
    tables.locks.forEach([&](const Lock &lock) { all.push_back(lock.address); });
    std::sort(all.begin(), all.end());
    return all;
  }
  /// The transition between two sections, or null.
  const Transition *transition(std::uint32_t from, std::uint32_t to) const {
    for (std::uint32_t i = 0; i < tables.transitions.size(); ++i)
      if (tables.transitions[i].key.from == from && tables.transitions[i].key.to == to)
        return &tables.transitions[i];
    return nullptr;
  }

  std::vector<SiteTraits> traits;
  std::vector<Event> events; ///< all so far
  ReplayContext context;
  Arena arena;
  Tables tables;
  Replay replay;
  std::uint64_t now = 1000;
  std::uint32_t stack = 0x80000000u;
};

} // namespace qdadvise::runtime
