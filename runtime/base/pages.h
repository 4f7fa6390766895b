// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory from the system, zeroed: the runtime never asks the program's allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>

namespace qdadvise::runtime {

/// So much memory or more is better had in huge pages: tables that are looked into all over would
/// else need more page table entries than the processor keeps.
inline constexpr std::size_t hugePageBytes = std::size_t{1} << 21;

/// Null when out of memory, as the others.
inline char *mapPages(std::size_t bytes) noexcept {
  void *const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
}

/// Address space only: memory comes as it is touched.
inline char *reservePages(std::size_t bytes) noexcept {
  void *const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
}

/// Maps so many bytes, a multiple of hugePageBytes, from where a huge page may begin. They are in
/// plain pages where the system has no others.
inline char *mapHugePages(std::size_t bytes) noexcept {
  char *const memory = mapPages(bytes + hugePageBytes);
  if (!memory)
    return nullptr;
  // What is too much before and after goes back.
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(memory) & (hugePageBytes - 1);
  if (before != 0)
    munmap(memory, before);
  munmap(memory + before + bytes, hugePageBytes - before);
  madvise(memory + before, bytes, MADV_HUGEPAGE);
  return memory + before;
}

} // namespace qdadvise::runtime
