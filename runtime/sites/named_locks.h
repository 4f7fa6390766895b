// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lock objects to which the program gave names of their own (qdadvise_name_lock).
// One writer at a time, any number of readers, no locks for those.
#pragma once

#include "runtime/base/hash_index.h"

#include <cstdint>

namespace qdadvise::runtime {

class NamedLocks {
public:
  static constexpr std::uint32_t capacity = 1u << 12;

  /// The lock class of a named lock, else `otherwise`.
  std::uint32_t find(std::uint64_t address, std::uint32_t otherwise) const {
    for (std::uint32_t at = start(address), steps = 0; steps < capacity; ++at, ++steps) {
      const Cell &cell = cells[at % capacity];
      const std::uint64_t found = __atomic_load_n(&cell.address, __ATOMIC_ACQUIRE);
      if (found == address)
        return __atomic_load_n(&cell.lockClass, __ATOMIC_RELAXED);
      if (found == 0)
        break;
    }
    return otherwise;
  }

  /// False when there are too many. Callers take turns.
  bool add(std::uint64_t address, std::uint32_t lockClass) {
    for (std::uint32_t at = start(address), steps = 0; steps < capacity; ++at, ++steps) {
      Cell &cell = cells[at % capacity];
      if (cell.address != 0 && cell.address != address)
        continue;
      __atomic_store_n(&cell.lockClass, lockClass, __ATOMIC_RELAXED);
      __atomic_store_n(&cell.address, address, __ATOMIC_RELEASE);
      return true;
    }
    return false;
  }

private:
  struct Cell {
    std::uint64_t address;
    std::uint32_t lockClass;
  };
  static std::uint32_t start(std::uint64_t address) {
    return static_cast<std::uint32_t>(mixHash(1, address) >> 32);
  }

  Cell cells[capacity] = {};
};

} // namespace qdadvise::runtime
