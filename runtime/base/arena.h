// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for the recorder: handed out in one direction, given back all at once. Arrays that
// have become too small serve those that want no more.
// Straight from mmap, because the program's allocator may be instrumented, and
// because a signal handler may ask. Bounded; null when the bound is reached.
#pragma once

#include "runtime/base/pages.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace qdadvise::runtime {

class Arena {
public:
  static constexpr std::size_t chunkBytes = std::size_t{1} << 18;
  static constexpr std::size_t defaultLimit = std::size_t{1} << 28;

  explicit Arena(std::size_t limitBytes = defaultLimit) : limit(limitBytes) {}
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena() { clear(); }

  /// Zeroed, aligned to 16 bytes; null when out of memory.
  void *allocate(std::size_t bytes) noexcept {
    bytes = (bytes + 15) & ~std::size_t{15};
    if (void *const spare = takeSpare(bytes))
      return spare;
    if (bytes > static_cast<std::size_t>(end - next) && !addChunk(bytes))
      return nullptr;
    char *result = next;
    next += bytes;
    return result;
  }

  template <typename T> T *allocateArray(std::size_t count) noexcept {
    return static_cast<T *>(allocate(count * sizeof(T)));
  }

  /// Takes back an array of allocateArray that is not needed any more.
  template <typename T> void recycleArray(T *array, std::size_t count) noexcept {
    const std::size_t bytes = count * sizeof(T);
    if (hasSpares(bytes))
      spares[std::countr_zero(bytes)] = new (array) Spare{spares[std::countr_zero(bytes)]};
  }

  /// The bytes that are in use, or were.
  std::size_t bytes() const { return mapped - static_cast<std::size_t>(end - next); }

  /// Gives everything back.
  void clear() noexcept {
    while (chunks) {
      Chunk *const older = chunks->older;
      munmap(chunks, chunks->bytes);
      chunks = older;
    }
    next = end = nullptr;
    mapped = 0;
    for (Spare *&spare : spares)
      spare = nullptr;
  }

private:
  struct Spare {
    Spare *other;
  };
  /// Powers of two of bytes have them.
  static constexpr unsigned spareSizes = 16;
  static bool hasSpares(std::size_t bytes) {
    return std::has_single_bit(bytes) && bytes >= 16 && bytes >> spareSizes == 0;
  }
  void *takeSpare(std::size_t bytes) noexcept {
    if (!hasSpares(bytes))
      return nullptr;
    Spare *&first = spares[std::countr_zero(bytes)];
    Spare *const spare = first;
    if (spare) {
      first = spare->other;
      __builtin_memset(static_cast<void *>(spare), 0, bytes);
    }
    return spare;
  }

  struct alignas(16) Chunk {
    Chunk *older;
    std::size_t bytes;
  };

  bool addChunk(std::size_t atLeast) noexcept {
    const bool huge = mapped >= hugePageBytes;
    const std::size_t unit = huge ? hugePageBytes : chunkBytes;
    const std::size_t bytes = (atLeast + sizeof(Chunk) + unit - 1) & ~(unit - 1);
    if (bytes < atLeast || mapped + bytes > limit)
      return false;
    char *const memory = huge ? mapHugePages(bytes) : mapPages(bytes);
    if (!memory)
      return false;
    chunks = new (memory) Chunk{chunks, bytes};
    next = memory + sizeof(Chunk);
    end = memory + bytes;
    mapped += bytes;
    return true;
  }

  Chunk *chunks = nullptr;
  char *next = nullptr;
  char *end = nullptr;
  Spare *spares[spareSizes] = {};
  std::size_t mapped = 0;
  std::size_t limit;
};

} // namespace qdadvise::runtime
