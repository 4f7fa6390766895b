// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one execution of a critical section does to memory, for a memory trace: to the byte,
// by cache lines. Bounded: of an execution that touches many lines a part is kept, chosen by a
// hash of their addresses, so that several executions keep the same ones.
#pragma once

#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <cstdint>

namespace qdadvise::runtime {

/// Hashes a cache line's number; all bits are about equally random (splitmix64's finisher).
inline std::uint64_t hashLine(std::uint64_t line) {
  line += 0x9e3779b97f4a7c15u;
  line = (line ^ line >> 30) * 0xbf58476d1ce4e5b9u;
  line = (line ^ line >> 27) * 0x94d049bb133111ebu;
  return line ^ line >> 31;
}
/// Whether a line is among the one in 2^shift that are kept. It looks at other bits than sketches.
inline bool isKept(std::uint64_t hash, unsigned shift) {
  return (hash >> 32 & ((std::uint64_t{1} << shift) - 1)) == 0;
}

/// A cache line in an execution. Masks have a bit a byte.
struct TracedLine {
  std::uint64_t line; ///< address / cacheLineBytes
  std::uint64_t read;
  std::uint64_t written;
  std::uint64_t plain;  ///< accessed by other than atomic operations
  std::uint64_t starts; ///< where accesses began, and every 8 bytes in longer ones
  std::uint32_t accesses;
  std::uint16_t place;     ///< in the trace's index
  std::uint16_t isChained; ///< 1: by an address that was read from where another one pointed to

  bool isWritten() const { return written != 0; }
};

class MemoryTrace {
public:
  static constexpr unsigned mostLines = 1024;

  /// Begins anew, for another execution.
  void clear() {
    for (unsigned i = 0; i < size; ++i)
      index[entries[i].place] = 0;
    size = 0;
    keptShift = 0;
    counts = {};
  }

  void add(std::uint64_t address, std::uint64_t bytes, std::uint32_t what) {
    if (bytes == 0) // masked out, or a copy of nothing
      return;
    counts.reads += (what & accessRead) != 0;
    counts.writes += (what & accessWrite) != 0;
    counts.atomics += (what & accessAtomic) != 0;
    const std::uint64_t first = address / format::cacheLineBytes;
    const std::uint64_t offset = address % format::cacheLineBytes;
    if (__builtin_expect(offset + bytes <= format::cacheLineBytes, 1))
      return addToLine(first, bitsFrom(offset, bytes), startsFrom(offset, bytes), what);
    const std::uint64_t end = address + bytes;
    for (std::uint64_t line = first; line * format::cacheLineBytes < end; ++line) {
      const std::uint64_t base = line * format::cacheLineBytes;
      const std::uint64_t from = line == first ? offset : 0;
      const std::uint64_t to =
          end - base < format::cacheLineBytes ? end - base : format::cacheLineBytes;
      // Every eighth byte from where the access began, in this line too.
      const std::uint64_t start = from + (address - base - from) % 8;
      addToLine(line, bitsFrom(from, to - from), start < to ? startsFrom(start, to - start) : 0,
                what);
    }
  }

  /// Whether there was a write to memory other than the thread's own stack.
  bool hasWritten() const { return counts.writes != 0; }

  const TracedLine *begin() const { return entries; }
  const TracedLine *end() const { return entries + size; }
  /// Null if it was not touched, or is not kept.
  const TracedLine *find(std::uint64_t line) const {
    for (std::uint64_t at = hashLine(line) % indexSize; index[at] != 0; at = (at + 1) % indexSize)
      if (entries[index[at] - 1].line == line)
        return &entries[index[at] - 1];
    return nullptr;
  }
  /// One in 2^shift() lines is kept.
  unsigned shift() const { return keptShift; }

  struct Counts {
    std::uint64_t instructions, stackAccesses, reads, writes, atomics;
  } counts = {};

private:
  static constexpr unsigned indexSize = 2 * mostLines;

  static std::uint64_t bitsFrom(std::uint64_t offset, std::uint64_t bytes) {
    return (bytes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1) << offset;
  }
  static std::uint64_t startsFrom(std::uint64_t offset, std::uint64_t bytes) {
    constexpr std::uint64_t everyEighth = 0x0101010101010101u;
    return (bytes <= 8 ? std::uint64_t{1} << offset
                       : (everyEighth << offset) & bitsFrom(offset, bytes));
  }

  void addToLine(std::uint64_t line, std::uint64_t bytes, std::uint64_t starts,
                 std::uint32_t what) {
    const std::uint64_t hash = hashLine(line);
    if (!isKept(hash, keptShift))
      return;
    std::uint64_t at = hash % indexSize;
    for (; index[at] != 0; at = (at + 1) % indexSize)
      if (entries[index[at] - 1].line == line)
        return touch(entries[index[at] - 1], bytes, starts, what);
    if (size == mostLines) {
      keepFewer();
      return addToLine(line, bytes, starts, what);
    }
    entries[size] = {line, 0, 0, 0, 0, 0, static_cast<std::uint16_t>(at), 0};
    touch(entries[size], bytes, starts, what);
    index[at] = static_cast<std::uint16_t>(++size);
  }

  static void touch(TracedLine &line, std::uint64_t bytes, std::uint64_t starts,
                    std::uint32_t what) {
    line.read |= (what & accessRead) != 0 ? bytes : 0;
    line.written |= (what & accessWrite) != 0 ? bytes : 0;
    line.plain |= (what & accessAtomic) != 0 ? 0 : bytes;
    line.starts |= starts;
    line.isChained |= (what & accessChained) != 0;
    line.accesses += ((what & accessRead) != 0) + ((what & accessWrite) != 0);
  }

  void keepFewer() {
    for (unsigned i = 0; i < size; ++i)
      index[entries[i].place] = 0;
    ++keptShift;
    unsigned kept = 0;
    for (unsigned i = 0; i < size; ++i) {
      const std::uint64_t hash = hashLine(entries[i].line);
      if (!isKept(hash, keptShift))
        continue;
      std::uint64_t at = hash % indexSize;
      while (index[at] != 0)
        at = (at + 1) % indexSize;
      entries[kept] = entries[i];
      entries[kept].place = static_cast<std::uint16_t>(at);
      index[at] = static_cast<std::uint16_t>(++kept);
    }
    size = kept;
  }

  TracedLine entries[mostLines];
  std::uint16_t index[indexSize] = {}; ///< entry plus one; 0: free
  unsigned size = 0;
  unsigned keptShift = 0;
};

} // namespace qdadvise::runtime
