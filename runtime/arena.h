// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for the recorder: handed out in one direction, given back all at once.
// Straight from mmap, because the program's allocator may be instrumented, and
// because a signal handler may ask. Bounded; null when the bound is reached.
#pragma once

#include "runtime/pages.h"

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
    if (bytes > static_cast<std::size_t>(end - next) && !addChunk(bytes))
      return nullptr;
    char *result = next;
    next += bytes;
    return result;
  }

  template <typename T> T *allocateArray(std::size_t count) noexcept {
    return static_cast<T *>(allocate(count * sizeof(T)));
  }

  /// Gives everything back.
  void clear() noexcept {
    while (chunks) {
      Chunk *const older = chunks->older;
      munmap(chunks, chunks->bytes);
      chunks = older;
    }
    next = end = nullptr;
    mapped = 0;
  }

private:
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
  std::size_t mapped = 0;
  std::size_t limit;
};

} // namespace qdadvise::runtime
