// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of a simulation, at most one for each of a fixed number of slots, in tournament trees.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace qdadvise::sim {

/// Virtual time in picoseconds, a whole number so that sums do not depend on their order.
using Time = std::int64_t;
inline constexpr Time never = std::numeric_limits<Time>::max();

/// Events at the same time come in the order in which they were set.
class EventQueue {
public:
  static constexpr std::size_t mostSlots = 1 << 16;

  /// `further` slots come behind the others, and hardly ever have an event: they do not make the
  /// others' way to the root longer.
  explicit EventQueue(std::size_t slots = 1, std::size_t further = 0)
      : common(slots), rare(further), commonSlots(slots) {}

  /// `at` must not be negative.
  void set(std::size_t slot, Time at) {
    const Key key = keyOf(at, ++sets, slot);
    if (slot == gap) {
      gap = none;
      common.replay(slot, key);
      winner = lesser(winner, key);
    } else {
      replay(slot, key);
    }
  }
  void clear(std::size_t slot) {
    if (at(slot) != never)
      replay(slot, keyOf(never, 0, slot));
  }
  /// Clears the first event. Its slot most often has another one soon, and it is cheaper then.
  void clearFirst() {
    if (first() >= commonSlots)
      return clear(first());
    if (gap != none)
      common.replay(gap, keyOf(never, 0, gap));
    gap = first();
    findWinner();
  }
  /// `never` where the slot has no event.
  Time at(std::size_t slot) const {
    if (slot == gap)
      return never;
    return timeOf(slot < commonSlots ? common.at(slot) : rare.at(slot - commonSlots));
  }

  std::size_t first() const { return static_cast<std::size_t>(winner) % mostSlots; }
  Time earliest() const { return timeOf(winner); }

private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Time, order and slot in one number, so that comparisons take no branches, which could not be
  /// predicted.
  __extension__ typedef unsigned __int128 Key;
  static Key keyOf(Time at, std::uint64_t order, std::size_t slot) {
    return Key(static_cast<std::uint64_t>(at)) << 64 | (order * mostSlots + slot);
  }
  static Time timeOf(Key key) { return static_cast<Time>(static_cast<std::uint64_t>(key >> 64)); }
  static Key lesser(Key a, Key b) {
    std::uint64_t mask = -static_cast<std::uint64_t>(b < a);
    asm("" : "+r"(mask)); // the compiler would make a branch of it
    return a ^ ((a ^ b) & (Key(mask) << 64 | mask));
  }

  class Tournament {
  public:
    explicit Tournament(std::size_t slots)
        : leaves(std::bit_ceil(slots < 2 ? std::size_t{2} : slots)),
          tree(2 * leaves, keyOf(never, 0, 0)) {}
    Key at(std::size_t slot) const { return tree[leaves + slot]; }
    Key winner() const { return tree[1]; }
    /// The earliest event of all other slots.
    Key winnerBut(std::size_t slot) const {
      std::size_t node = leaves + slot;
      Key key = tree[node ^ 1];
      for (node /= 2; node > 1; node /= 2)
        key = lesser(key, tree[node ^ 1]);
      return key;
    }
    void replay(std::size_t slot, Key key) {
      std::size_t node = leaves + slot;
      tree[node] = key;
      for (; node > 1; node /= 2) {
        key = lesser(key, tree[node ^ 1]);
        tree[node / 2] = key;
      }
    }

  private:
    std::size_t leaves;
    std::vector<Key> tree; ///< a node's children are at twice its index; the root is 1
  };

  void replay(std::size_t slot, Key key) {
    const bool wasFirst = slot == first();
    if (slot < commonSlots)
      common.replay(slot, key);
    else
      rare.replay(slot - commonSlots, key);
    if (wasFirst)
      findWinner();
    else
      winner = lesser(winner, key);
  }
  void findWinner() {
    winner = lesser(gap == none ? common.winner() : common.winnerBut(gap), rare.winner());
  }

  Tournament common, rare;
  std::size_t commonSlots;
  /// A slot whose event was the first, and was cleared. The tree still has it: the slot's next
  /// event most often comes soon, and takes its place.
  std::size_t gap = none;
  Key winner = keyOf(never, 0, 0);
  std::uint64_t sets = 0;
};

} // namespace qdadvise::sim
