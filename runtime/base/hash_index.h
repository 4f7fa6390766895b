// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the index of a record in an array by its hash: open addressing over
// 32-bit indices. The records stay where their owner keeps them.
#pragma once

#include "runtime/abi/profile_format.h"
#include "runtime/base/arena.h"

#include <cstdint>

namespace qdadvise::runtime {

constexpr std::uint64_t mixHash(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

class HashIndex {
public:
  /// The index for which `equals(index)` holds among those of this hash, else none.
  template <typename Equals> std::uint32_t find(std::uint64_t hash, Equals equals) const {
    if (!cells)
      return format::none;
    const auto low = static_cast<std::uint32_t>(hash);
    for (std::uint32_t at = low;; ++at) {
      const Cell &cell = cells[at & mask];
      if (cell.indexPlusOne == 0)
        return format::none;
      if (cell.hash == low && equals(cell.indexPlusOne - 1))
        return cell.indexPlusOne - 1;
    }
  }

  /// Adds an index that is not there yet; false when out of memory.
  bool insert(Arena &arena, std::uint64_t hash, std::uint32_t index) {
    if (used * 3 >= capacity() * 2 && !grow(arena))
      return false;
    place(Cell{index + 1, static_cast<std::uint32_t>(hash)});
    ++used;
    return true;
  }

private:
  struct Cell {
    std::uint32_t indexPlusOne; ///< 0: empty
    std::uint32_t hash;         ///< the low half
  };

  std::uint32_t capacity() const { return cells ? mask + 1 : 0; }

  void place(Cell cell) {
    std::uint32_t at = cell.hash;
    while (cells[at & mask].indexPlusOne != 0)
      ++at;
    cells[at & mask] = cell;
  }

  bool grow(Arena &arena) {
    const std::uint32_t size = cells ? (mask + 1) * 2 : 64;
    Cell *const bigger = arena.allocateArray<Cell>(size);
    if (!bigger)
      return false;
    Cell *const old = cells;
    const std::uint32_t oldSize = capacity();
    cells = bigger;
    mask = size - 1;
    for (std::uint32_t i = 0; i < oldSize; ++i)
      if (old[i].indexPlusOne != 0)
        place(old[i]);
    arena.recycleArray(old, oldSize);
    return true;
  }

  Cell *cells = nullptr;
  std::uint32_t mask = 0;
  std::uint32_t used = 0;
};

/// An array that grows in blocks, so that its elements never move and nothing is
/// allocated before it is needed.
template <typename T> class BlockArray {
public:
  static constexpr std::uint32_t perBlock = 64;
  static constexpr std::uint32_t blocksPerDirectory = 1024;
  static constexpr std::uint32_t directoryCount = 32;
  static constexpr std::uint32_t capacity = perBlock * blocksPerDirectory * directoryCount;

  std::uint32_t size() const { return count; }
  T &operator[](std::uint32_t i) { return *at(i); }
  const T &operator[](std::uint32_t i) const { return *at(i); }

  /// A new element, zeroed, at index size() - 1; null when out of memory.
  T *append(Arena &arena) {
    if (!ensure(arena, count))
      return nullptr;
    return at(count++);
  }

  /// Makes elements up to and including `index` exist; false when out of memory.
  bool reach(Arena &arena, std::uint32_t index) {
    while (__builtin_expect(count <= index, 0))
      if (!append(arena))
        return false;
    return true;
  }

private:
  T *at(std::uint32_t i) const {
    const std::uint32_t block = i / perBlock;
    return &directories[block / blocksPerDirectory][block % blocksPerDirectory][i % perBlock];
  }

  bool ensure(Arena &arena, std::uint32_t i) {
    if (i >= capacity)
      return false;
    const std::uint32_t block = i / perBlock;
    T **&directory = directories[block / blocksPerDirectory];
    if (!directory)
      directory = arena.allocateArray<T *>(blocksPerDirectory);
    if (!directory)
      return false;
    T *&elements = directory[block % blocksPerDirectory];
    return elements || (elements = arena.allocateArray<T>(perBlock));
  }

  T **directories[directoryCount] = {};
  std::uint32_t count = 0;
};

} // namespace qdadvise::runtime
