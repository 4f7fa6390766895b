// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The coherence state of all cache lines that simulated threads have touched.
#pragma once

#include "advisor/sim/EventQueue.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace qdadvise::sim {

inline constexpr int mostCores = 1024;

struct CacheLine {
  static constexpr std::int32_t nobody = -1;

  /// Misses and read-modify-writes are served one at a time. The last one that has come so far
  /// ends then.
  Time busyUntil = 0;
  std::int32_t owner = nobody; ///< the core that has it alone and may write
  std::array<std::uint64_t, mostCores / 64> copies{};
  std::vector<std::uint32_t> spinners; ///< threads that look at their copy and wait

  bool isOwnedBy(std::uint32_t core) const { return owner == static_cast<std::int32_t>(core); }
  bool isAt(std::uint32_t core) const { return copies[core / 64] >> (core % 64) & 1; }
  bool isNowhere() const {
    return std::all_of(copies.begin(), copies.end(), [](std::uint64_t word) { return word == 0; });
  }
  void add(std::uint32_t core) { copies[core / 64] |= std::uint64_t{1} << (core % 64); }
  /// Takes the line from all other cores.
  void giveTo(std::uint32_t core) {
    copies = {};
    add(core);
    owner = static_cast<std::int32_t>(core);
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
      place = (place + 1) % table.size();
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
