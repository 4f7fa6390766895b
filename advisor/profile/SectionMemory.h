// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/abi/profile_format.h"

#include <cstdint>

namespace qdadvise {

/// What the executions of a section do to memory, of a diagnosis run: sums over the traced ones.
struct SectionMemory : format::MemoryEntry {
  explicit SectionMemory(const format::MemoryEntry &sums = {}) : format::MemoryEntry(sums) {}

  void merge(const SectionMemory &other);
  /// Per execution.
  double mean(std::uint64_t sum) const {
    return executions > 0 ? static_cast<double>(sum) / static_cast<double>(executions) : 0;
  }
  /// Share of the reads and writes that go to shared memory.
  double sharedShare() const;
  /// Each execution writes one location once, and reads no other: an atomic operation would do.
  bool updatesOneLocation() const;
  /// Whether it was told which data its site has in common with others.
  bool knowsOverlaps() const { return site != 0; }
  /// Executions of both used the same data, and one of them wrote it. Both have to know.
  bool meets(const SectionMemory &other) const;
  /// Distinct cache lines over all executions, about (format::sketchRegisters says how well).
  double distinctLines() const;
};

} // namespace qdadvise
