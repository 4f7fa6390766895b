// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites known only by who called: the body of a wrapper marks itself with the address
// it returns to, and each of those is a site of its own.
#pragma once

#include "runtime/base/hash_index.h"

#include <cstdint>

namespace qdadvise::runtime {

/// Code as a symbolizer finds it: the file it comes from, and its address there.
struct CodePlace {
  const char *module; ///< lasts as long as the process
  std::uint64_t offset;
};

/// Which site stands for a body and a return address. One writer at a time, any number
/// of readers, no locks for those.
class CallerIndex {
public:
  /// More of them in one process are the body's own site.
  static constexpr std::uint32_t maxCallers = 4096;

  /// None: not there.
  std::uint32_t find(std::uint32_t body, std::uint64_t address) const {
    for (std::uint32_t at = start(body, address), steps = 0; steps < capacity; ++at, ++steps) {
      const Cell &cell = cells[at % capacity];
      const std::uint64_t found = __atomic_load_n(&cell.address, __ATOMIC_ACQUIRE);
      if (found == 0)
        break;
      if (found == address && __atomic_load_n(&cell.body, __ATOMIC_RELAXED) == body)
        return __atomic_load_n(&cell.site, __ATOMIC_RELAXED);
    }
    return format::none;
  }

  bool isFull() const { return used == maxCallers; }

  /// False when it is full.
  bool add(std::uint32_t body, std::uint64_t address, std::uint32_t site) {
    if (used == maxCallers)
      return false;
    std::uint32_t at = start(body, address);
    while (cells[at % capacity].address != 0)
      ++at;
    Cell &cell = cells[at % capacity];
    __atomic_store_n(&cell.body, body, __ATOMIC_RELAXED);
    __atomic_store_n(&cell.site, site, __ATOMIC_RELAXED);
    __atomic_store_n(&cell.address, address, __ATOMIC_RELEASE);
    ++used;
    return true;
  }

  /// Code was unloaded; what comes to its addresses is something else.
  void forget() {
    for (Cell &cell : cells)
      __atomic_store_n(&cell.address, 0, __ATOMIC_RELEASE);
    used = 0;
  }

private:
  static constexpr std::uint32_t capacity = 2 * maxCallers;
  struct Cell {
    std::uint64_t address;
    std::uint32_t body;
    std::uint32_t site;
  };
  static std::uint32_t start(std::uint32_t body, std::uint64_t address) {
    return static_cast<std::uint32_t>(mixHash(body + 1, address) >> 32);
  }

  Cell cells[capacity] = {};
  std::uint32_t used = 0;
};

} // namespace qdadvise::runtime
