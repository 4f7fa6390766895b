// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds one execution's accesses to the sums of its section.
#pragma once

#include "runtime/memory/recent_executions.h"
#include "runtime/memory/touched_lines.h"

#include <cstdint>

namespace qdadvise::runtime {

/// What is known of memory beyond one execution; of all threads together.
struct MemoryKnowledge {
  TouchedLines lines;
  RecentExecutions executions;
};

/// Sums over a section's executions. What is shared can only be told when it is known whether
/// several threads took the lock in turns: until then both answers are kept.
struct MemorySums {
  format::MemoryEntry entry; ///< as if they did
  std::uint64_t switches;    ///< executions that had the lock from another thread
  /// Accesses to what any execution had accessed, of this thread or another.
  std::uint64_t repeatedAccesses;
  std::uint64_t repeatedSafe; ///< safeAccesses of those
  /// readAfter and writtenAfter of the lines that no other thread has accessed.
  std::uint64_t privateReadAfter[format::readersBuckets];
  std::uint64_t privateWrittenAfter[format::readersBuckets];
  std::uint64_t privateChained; ///< chainedLines of these

  void merge(const MemorySums &other);
  /// What a profile says. Where a lock hardly ever went from thread to thread, one thread's
  /// executions stand in for those of others.
  format::MemoryEntry decided() const;
};

/// The bucket of so many readers (format::readersBuckets).
unsigned readersBucket(std::uint32_t readers);

/// An execution of a section by `thread` (a number > 0), with `lock` (not 0) held, has ended; of
/// the site `sums.entry.site` (not 0).
void addExecution(const MemoryTrace &trace, std::uint64_t lock, std::uint32_t thread,
                  MemoryKnowledge &known, MemorySums &sums);

} // namespace qdadvise::runtime
