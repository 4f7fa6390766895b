// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See memory_sums.h.
#include "runtime/memory/memory_sums.h"

#include "runtime/abi/memory_entry.h"

namespace qdadvise::runtime {

namespace {

std::uint64_t bitsIn(std::uint64_t mask) {
  return static_cast<std::uint64_t>(__builtin_popcountll(mask));
}

/// HyperLogLog's: the register by the low bits, the rank by the leading zeros.
void sketch(format::MemoryEntry &sums, std::uint64_t hash) {
  std::uint8_t &rank = sums.lines[hash % format::sketchRegisters];
  const auto found = static_cast<std::uint8_t>(1 + (hash == 0 ? 64 : __builtin_clzll(hash)));
  rank = found > rank ? found : rank;
}

void addDistinct(const TracedLine &line, std::uint64_t stands, format::MemoryEntry &sums) {
  const std::uint64_t locations = bitsIn(line.starts);
  const std::uint64_t written = bitsIn(line.starts & line.written);
  sums.locationsWritten += written * stands;
  sums.locationsRead += (locations - written) * stands;
  (line.isWritten() ? sums.linesWritten : sums.linesRead) += stands;
}

/// Accesses are taken to be spread evenly over the places where they began.
struct Spread {
  explicit Spread(const TracedLine &line)
      : accesses(line.accesses), places(line.starts != 0 ? line.starts : line.read | line.written),
        all(bitsIn(places)) {}

  std::uint64_t to(std::uint64_t bytes) const { return rounded(bytes, all / 2); }
  /// How many of `some` accesses to `bytes` are not to `excepted`: none of these is lost in
  /// rounding.
  std::uint64_t except(std::uint64_t some, std::uint64_t bytes, std::uint64_t excepted) const {
    const std::uint64_t less = rounded(bytes & excepted, all - 1);
    return some > less ? some - less : 0;
  }

  /// Divisions take long, and mostly all places are meant, or none.
  std::uint64_t rounded(std::uint64_t bytes, std::uint64_t up) const {
    const std::uint64_t meant = places & bytes;
    return meant == 0 ? 0 : meant == places ? accesses : (accesses * bitsIn(meant) + up) / all;
  }

  std::uint64_t accesses, places, all;
};

/// What a lock is for: other than atomic accesses to what is written by some execution.
std::uint64_t unsafeBytes(const TracedLine &line, const TouchedLines::Before &before) {
  return line.plain & (before.writtenBytes | line.written);
}

void addMovement(const TracedLine &line, const TouchedLines::Before &before, std::uint64_t stands,
                 std::uint64_t *readAfter, std::uint64_t *writtenAfter, std::uint64_t &chained) {
  if (!(line.isWritten() ? before.isKnown : before.isWritten))
    return;
  (line.isWritten() ? writtenAfter : readAfter)[readersBucket(before.readers)] += stands;
  chained += line.isChained * stands;
}

/// The sites whose data one execution used.
class SitesMet {
public:
  void add(const TouchedLines::Before &before) {
    for (unsigned i = 0; i < before.siteCount; ++i)
      add(before.sites[i]);
  }
  void addTo(format::MemoryEntry &sums) const {
    for (unsigned i = 0; i < count; ++i)
      format::addOverlap(sums, sites[i], 1);
    sums.otherOverlaps += more;
  }

private:
  void add(std::uint32_t site) {
    for (unsigned i = 0; i < count; ++i)
      if (sites[i] == site)
        return;
    if (count < format::overlapSlots)
      sites[count++] = site;
    else
      more = true;
  }

  std::uint32_t sites[format::overlapSlots];
  unsigned count = 0;
  bool more = false;
};

} // namespace

unsigned readersBucket(std::uint32_t readers) {
  if (readers < 4)
    return readers;
  const auto power = static_cast<unsigned>(31 - __builtin_clz(readers));
  return power + 2 < format::readersBuckets ? power + 2 : format::readersBuckets - 1;
}

void addExecution(const MemoryTrace &trace, std::uint64_t lock, std::uint32_t thread,
                  MemoryKnowledge &known, MemorySums &sums) {
  format::MemoryEntry &entry = sums.entry;
  ++entry.executions;
  entry.writers += trace.hasWritten();
  entry.instructions += trace.counts.instructions;
  entry.stackAccesses += trace.counts.stackAccesses;
  entry.reads += trace.counts.reads;
  entry.writes += trace.counts.writes;
  entry.atomics += trace.counts.atomics;
  sums.switches += known.executions.compare(trace, lock, thread, entry);
  const std::uint64_t stands = std::uint64_t{1} << trace.shift();
  // These count the lines that are kept.
  std::uint64_t accesses = 0, shared = 0, safeShared = 0, repeated = 0, safeRepeated = 0;
  SitesMet met;
  for (const TracedLine &line : trace) {
    sketch(entry, hashLine(line.line));
    addDistinct(line, stands, entry);
    TouchedLines::Before before;
    if (!known.lines.touch(line, thread, entry.site, before))
      continue;
    accesses += line.accesses;
    const Spread spread(line);
    const std::uint64_t unsafe = unsafeBytes(line, before);
    met.add(before);
    const std::uint64_t toShared = spread.to(before.sharedBytes);
    const std::uint64_t toTouched = spread.to(before.touchedBytes);
    shared += toShared;
    safeShared += spread.except(toShared, before.sharedBytes, unsafe);
    repeated += toTouched;
    safeRepeated += spread.except(toTouched, before.touchedBytes, unsafe);
    if (before.isPrivate) {
      entry.privateLines += stands;
      addMovement(line, before, stands, sums.privateReadAfter, sums.privateWrittenAfter,
                  sums.privateChained);
    } else {
      addMovement(line, before, stands, entry.readAfter, entry.writtenAfter, entry.chainedLines);
    }
  }
  met.addTo(entry);
  if (accesses == 0)
    return;
  // One access may be to several lines.
  const std::uint64_t all = trace.counts.reads + trace.counts.writes;
  const auto ofAll = [&](std::uint64_t some) { return (all * some + accesses / 2) / accesses; };
  entry.sharedAccesses += ofAll(shared);
  entry.safeAccesses += ofAll(safeShared);
  sums.repeatedAccesses += ofAll(repeated);
  sums.repeatedSafe += ofAll(safeRepeated);
}

void MemorySums::merge(const MemorySums &other) {
  format::addMemory(entry, other.entry);
  switches += other.switches;
  repeatedAccesses += other.repeatedAccesses;
  repeatedSafe += other.repeatedSafe;
  privateChained += other.privateChained;
  for (unsigned i = 0; i < format::readersBuckets; ++i) {
    privateReadAfter[i] += other.privateReadAfter[i];
    privateWrittenAfter[i] += other.privateWrittenAfter[i];
  }
}

format::MemoryEntry MemorySums::decided() const {
  // More often than where one thread has made what another works with, and takes it down.
  constexpr std::uint64_t turns = 8;
  format::MemoryEntry result = entry;
  if (switches >= turns) {
    result.own = {};
    result.ownOfWriters = {};
    return result;
  }
  result.others = {};
  result.othersOfWriters = {};
  result.sharedAccesses = repeatedAccesses;
  result.safeAccesses = repeatedSafe;
  result.privateLines = 0;
  result.chainedLines += privateChained;
  for (unsigned i = 0; i < format::readersBuckets; ++i) {
    result.readAfter[i] += privateReadAfter[i];
    result.writtenAfter[i] += privateWrittenAfter[i];
  }
  return result;
}

} // namespace qdadvise::runtime
