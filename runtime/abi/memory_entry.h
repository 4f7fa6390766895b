// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of what sections do to memory, added up: over threads by the runtime, over runs by the
// advisor.
#pragma once

#include "runtime/abi/profile_format.h"

#include <initializer_list>

namespace qdadvise::format {

inline void addPairs(ConflictPairs &sums, const ConflictPairs &other) {
  for (const auto sum :
       {&ConflictPairs::pairs, &ConflictPairs::conflicts, &ConflictPairs::lineConflicts,
        &ConflictPairs::locations, &ConflictPairs::lines})
    sums.*sum += other.*sum;
}

inline void addPairs(WriterPairs &sums, const WriterPairs &other) {
  sums.pairs += other.pairs;
  sums.conflicts += other.conflicts;
}

/// The sites with the least numbers have places of their own, so that the order does not matter.
inline void addOverlap(MemoryEntry &sums, std::uint32_t site, std::uint64_t executions) {
  SiteOverlap *place = sums.overlaps, *const end = place + overlapSlots;
  while (place != end && place->site != 0 && place->site < site)
    ++place;
  if (place == end) {
    sums.otherOverlaps += executions;
    return;
  }
  if (place->site != site) {
    sums.otherOverlaps += end[-1].executions;
    for (SiteOverlap *last = end - 1; last != place; --last)
      *last = last[-1];
    *place = {site, 0, 0};
  }
  place->executions += executions;
}

/// What one section's executions did and what another's did; `sums` stays of the same section.
inline void addMemory(MemoryEntry &sums, const MemoryEntry &other) {
  if (sums.executions == 0)
    sums.site = other.site;
  else if (sums.site != other.site)
    sums.site = 0;
  for (const auto sum :
       {&MemoryEntry::executions, &MemoryEntry::instructions, &MemoryEntry::stackAccesses,
        &MemoryEntry::reads, &MemoryEntry::writes, &MemoryEntry::atomics,
        &MemoryEntry::sharedAccesses, &MemoryEntry::safeAccesses, &MemoryEntry::locationsRead,
        &MemoryEntry::locationsWritten, &MemoryEntry::linesRead, &MemoryEntry::linesWritten,
        &MemoryEntry::privateLines, &MemoryEntry::chainedLines, &MemoryEntry::writers})
    sums.*sum += other.*sum;
  addPairs(sums.others, other.others);
  addPairs(sums.own, other.own);
  addPairs(sums.othersOfWriters, other.othersOfWriters);
  addPairs(sums.ownOfWriters, other.ownOfWriters);
  for (unsigned i = 0; i < readersBuckets; ++i) {
    sums.readAfter[i] += other.readAfter[i];
    sums.writtenAfter[i] += other.writtenAfter[i];
  }
  for (const SiteOverlap &overlap : other.overlaps)
    if (overlap.site != 0)
      addOverlap(sums, overlap.site, overlap.executions);
  sums.otherOverlaps += other.otherOverlaps;
  for (unsigned i = 0; i < sketchRegisters; ++i)
    if (sums.lines[i] < other.lines[i])
      sums.lines[i] = other.lines[i];
}

} // namespace qdadvise::format
