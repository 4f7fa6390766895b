// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/abi/profile_format.h"

#include <cstdint>

namespace qdadvise {

/// What the executions of a section do to memory, from a memory trace: sums over the traced ones.
struct SectionMemory : format::MemoryEntry {
  explicit SectionMemory(const format::MemoryEntry &sums = {}) : format::MemoryEntry(sums) {}

  void merge(const SectionMemory &other);
  /// The mean of a sum per execution.
  double mean(std::uint64_t sum) const {
    return executions > 0 ? static_cast<double>(sum) / static_cast<double>(executions) : 0;
  }
  /// The share of the reads and writes that go to shared memory.
  double sharedShare() const;
  /// Whether each execution writes one location once, and reads no other: an atomic operation could
  /// do that.
  bool updatesOneLocation() const;
  /// Whether it is known which data its site has in common with other sites.
  bool knowsOverlaps() const { return site != 0; }
  /// Whether executions of both used the same data and one of them wrote it. Both must know their
  /// overlaps.
  bool meets(const SectionMemory &other) const;
  /// The approximate number of distinct cache lines over all executions. format::sketchRegisters
  /// says how precise it is.
  double distinctLines() const;
};

} // namespace qdadvise
