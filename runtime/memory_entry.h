// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of what sections do to memory, added up: over threads by the runtime, over runs by the
// advisor.
#pragma once

#include "runtime/profile_format.h"

#include <initializer_list>

namespace qdadvise::format {

inline void addPairs(ConflictPairs &sums, const ConflictPairs &other) {
  for (const auto sum :
       {&ConflictPairs::pairs, &ConflictPairs::conflicts, &ConflictPairs::lineConflicts,
        &ConflictPairs::locations, &ConflictPairs::lines})
    sums.*sum += other.*sum;
}

/// What one section's executions did and what another's did; `sums` stays of the same section.
inline void addMemory(MemoryEntry &sums, const MemoryEntry &other) {
  for (const auto sum :
       {&MemoryEntry::executions, &MemoryEntry::instructions, &MemoryEntry::stackAccesses,
        &MemoryEntry::reads, &MemoryEntry::writes, &MemoryEntry::atomics,
        &MemoryEntry::sharedAccesses, &MemoryEntry::safeAccesses, &MemoryEntry::locationsRead,
        &MemoryEntry::locationsWritten, &MemoryEntry::linesRead, &MemoryEntry::linesWritten,
        &MemoryEntry::privateLines})
    sums.*sum += other.*sum;
  addPairs(sums.others, other.others);
  addPairs(sums.own, other.own);
  for (unsigned i = 0; i < readersBuckets; ++i) {
    sums.readAfter[i] += other.readAfter[i];
    sums.writtenAfter[i] += other.writtenAfter[i];
  }
  for (unsigned i = 0; i < sketchRegisters; ++i)
    if (sums.lines[i] < other.lines[i])
      sums.lines[i] = other.lines[i];
}

} // namespace qdadvise::format
