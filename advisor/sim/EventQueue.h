// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What happens next: one event at most for each of a fixed number of slots, in a
// tournament tree.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace qdadvise::sim {

/// Virtual time, in picoseconds: whole numbers, so that sums do not depend on their order.
using Time = std::int64_t;
inline constexpr Time never = std::numeric_limits<Time>::max();

/// Events of one time come in the order in which they were set.
class EventQueue {
public:
  explicit EventQueue(std::size_t slots = 1)
      : leaves(std::bit_ceil(slots < 2 ? std::size_t{2} : slots)), events(leaves), winners(leaves) {
    for (std::size_t node = leaves; node-- > 1;)
      winners[node] = static_cast<std::uint32_t>(node >= leaves / 2 ? 2 * (node - leaves / 2)
                                                                    : winners[2 * node]);
  }

  void set(std::size_t slot, Time at) {
    events[slot] = {at, ++sets};
    replay(slot);
  }
  void clear(std::size_t slot) {
    if (events[slot].at == never)
      return;
    events[slot].at = never;
    replay(slot);
  }
  /// `never` where the slot has no event.
  Time at(std::size_t slot) const { return events[slot].at; }

  std::size_t first() const { return winners[1]; }
  Time earliest() const { return events[winners[1]].at; }

private:
  struct Event {
    Time at = never;
    std::uint64_t order = 0;
    bool before(const Event &other) const {
      return at != other.at ? at < other.at : order < other.order;
    }
  };
  void replay(std::size_t slot) {
    std::size_t node = (leaves + slot) / 2;
    const std::size_t sibling = slot ^ 1;
    std::uint32_t winner =
        static_cast<std::uint32_t>(events[sibling].before(events[slot]) ? sibling : slot);
    winners[node] = winner;
    while (node > 1) {
      const std::uint32_t other = winners[node ^ 1];
      node /= 2;
      if (events[other].before(events[winner]))
        winner = other;
      winners[node] = winner;
    }
  }

  std::size_t leaves;
  std::vector<Event> events;
  std::vector<std::uint32_t> winners; ///< of the nodes, the root being 1
  std::uint64_t sets = 0;
};

} // namespace qdadvise::sim
