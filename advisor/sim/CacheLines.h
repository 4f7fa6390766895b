// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coherence state of all cache lines that simulated threads have touched.
#pragma once

#include "advisor/sim/EventQueue.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace qdadvise::sim {

inline constexpr int mostCores = 1024;
inline constexpr int mostSockets = 16;

/// Cores are those with caches of their own: hardware threads of one core have the same number.
struct CacheLine {
  static constexpr std::int32_t nobody = -1;

  /// One request is served at a time. The next one is served then.
  Time freeAt = 0;
  std::int32_t owner = nobody; ///< the core that has it alone and may write
  bool isWritten = false;      ///< the owner has written it since it got it
  std::uint32_t sockets = 0;   ///< those with copies, a bit each
  /// What cores get soon, where several threads share a core.
  struct Expected {
    std::uint32_t core;
    Time there;
    bool alone;
  };
  std::vector<Expected> expected;
  std::vector<std::uint32_t> waiting; ///< threads whose requests are not served yet, the next first
  std::vector<std::uint32_t> spinners; ///< threads that look at their copy and wait
  std::array<std::uint64_t, mostCores / 64> copies{};
  /// For each socket, when its first copy arrives if that comes from elsewhere.
  std::array<Time, mostSockets> arrivals{};

  bool isOwnedBy(std::uint32_t core) const { return owner == static_cast<std::int32_t>(core); }
  bool isAt(std::uint32_t core) const { return copies[core / 64] >> (core % 64) & 1; }
  bool isNowhere() const { return sockets == 0; }
  bool isIn(std::uint32_t socket) const { return sockets >> socket & 1; }
  bool isOnlyIn(std::uint32_t socket) const { return (sockets & ~(1U << socket)) == 0; }
  void add(std::uint32_t core, std::uint32_t socket) {
    copies[core / 64] |= std::uint64_t{1} << (core % 64);
    sockets |= 1U << socket;
  }
  /// Whether no other core has it.
  bool isOnlyAt(std::uint32_t core) const {
    auto others = copies;
    others[core / 64] &= ~(std::uint64_t{1} << (core % 64));
    return others == decltype(others){};
  }
  /// Takes the line from all cores to its home in a socket.
  void giveBack(std::uint32_t socket) {
    copies = {};
    sockets = 1U << socket;
    owner = nobody;
    arrivals.fill(0);
  }
  /// Takes the line from all other cores.
  void giveTo(std::uint32_t core, std::uint32_t socket) {
    copies = {};
    sockets = 0;
    add(core, socket);
    owner = static_cast<std::int32_t>(core);
    isWritten = false;
  }
};

/// The lines by address. A reference to a line stays valid.
class CacheLines {
public:
  CacheLines() : table(1024) {}

  CacheLine &at(const void *address) {
    const std::uintptr_t number = reinterpret_cast<std::uintptr_t>(address) / 64;
    std::size_t place = hash(number);
    while (table[place].line) {
      if (table[place].number == number)
        return *table[place].line;
      place = (place + 1) & (table.size() - 1);
    }
    lines.emplace_back();
    table[place] = {number, &lines.back()};
    if (lines.size() * 2 > table.size())
      grow();
    return lines.back();
  }

private:
  struct Entry {
    std::uintptr_t number = 0;
    CacheLine *line = nullptr;
  };
  std::size_t hash(std::uintptr_t number) const {
    return static_cast<std::size_t>(number * 0x9e3779b97f4a7c15u >> 32) & (table.size() - 1);
  }
  void grow() {
    std::vector<Entry> old(2 * table.size());
    old.swap(table);
    for (const Entry &entry : old) {
      if (!entry.line)
        continue;
      std::size_t place = hash(entry.number);
      while (table[place].line)
        place = (place + 1) % table.size();
      table[place] = entry;
    }
  }

  std::vector<Entry> table; ///< a power of two, at most half full
  std::deque<CacheLine> lines;
};

} // namespace qdadvise::sim
