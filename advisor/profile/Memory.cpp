// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/Profile.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {
namespace {

constexpr std::uint64_t format::MemoryEntry::*sums[] = {
    &format::MemoryEntry::executions,       &format::MemoryEntry::instructions,
    &format::MemoryEntry::stackAccesses,    &format::MemoryEntry::reads,
    &format::MemoryEntry::writes,           &format::MemoryEntry::atomics,
    &format::MemoryEntry::sharedAccesses,   &format::MemoryEntry::locationsRead,
    &format::MemoryEntry::locationsWritten, &format::MemoryEntry::linesRead,
    &format::MemoryEntry::linesWritten,     &format::MemoryEntry::privateLines};

constexpr std::uint64_t format::ConflictPairs::*pairSums[] = {
    &format::ConflictPairs::pairs, &format::ConflictPairs::conflicts,
    &format::ConflictPairs::lineConflicts, &format::ConflictPairs::locations,
    &format::ConflictPairs::lines};

} // namespace

void SectionMemory::merge(const SectionMemory &other) {
  for (const auto sum : sums)
    this->*sum += other.*sum;
  for (const auto sum : pairSums) {
    others.*sum += other.others.*sum;
    own.*sum += other.own.*sum;
  }
  for (unsigned bucket = 0; bucket < format::readersBuckets; ++bucket) {
    readAfter[bucket] += other.readAfter[bucket];
    writtenAfter[bucket] += other.writtenAfter[bucket];
  }
  for (unsigned i = 0; i < format::sketchRegisters; ++i)
    lines[i] = std::max(lines[i], other.lines[i]);
}

double SectionMemory::sharedShare() const {
  const std::uint64_t accesses = reads + writes;
  return accesses > 0 ? static_cast<double>(sharedAccesses) / static_cast<double>(accesses) : 0;
}

/// HyperLogLog (Flajolet, Fusy, Gandouet and Meunier 2007), with linear counting where few
/// registers are set.
double SectionMemory::distinctLines() const {
  constexpr double registers = format::sketchRegisters;
  constexpr double bias = 0.7213 / (1 + 1.079 / registers);
  double sum = 0, empty = 0;
  for (const std::uint8_t rank : lines) {
    sum += std::ldexp(1.0, -rank);
    empty += rank == 0;
  }
  const double estimate = bias * registers * registers / sum;
  return estimate <= 2.5 * registers && empty > 0 ? registers * std::log(registers / empty)
                                                  : estimate;
}

} // namespace qdadvise
