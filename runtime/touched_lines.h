// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who touched which cache lines in critical sections: what is shared, and what would have to move
// to another core. Bounded: where there are too many lines, a part of them is known, chosen by a
// hash, and stands for the others (spatial sampling, as SHARDS: Waldspurger et al., FAST 2015).
#pragma once

#include "runtime/memory_trace.h"
#include "runtime/pages.h"

#include <cstdint>

namespace qdadvise::runtime {

class TouchedLines {
public:
  static constexpr std::uint32_t mostLines = 1u << 16;

  /// What a line was before the execution at hand touched it.
  struct Before {
    std::uint64_t sharedBytes;  ///< touched by another thread before
    std::uint64_t touchedBytes; ///< by any execution
    bool isPrivate;             ///< only this thread ever touched the line
    bool written;               ///< some execution wrote to it
    std::uint32_t readers;      ///< executions that have read it since
  };

  /// An execution of `thread` (a number > 0) has touched `line`. False if the line is not among
  /// the known ones.
  bool touch(const TracedLine &line, std::uint64_t hash, std::uint32_t thread, Before &before) {
    if (!isKept(hash, keptShift) || (!entries && !allocate()))
      return false;
    Entry *entry = find(line.line, hash);
    if (entry->line == 0) {
      if (used == mostLines) {
        keepFewer();
        return touch(line, hash, thread, before);
      }
      ++used;
      entry->line = line.line + 1;
      entry->thread = thread;
    }
    before = {0, 0, entry->thread == thread, entry->written, entry->readers};
    const std::uint64_t bytes = line.read | line.written;
    for (unsigned part = 0; part < parts; ++part) {
      std::uint16_t &owner = entry->owners[part];
      const std::uint64_t mask = partMask << part * partBytes;
      const std::uint16_t mine = shortNumber(thread);
      before.touchedBytes |= owner != nobody ? mask : 0;
      before.sharedBytes |= owner != nobody && owner != mine ? mask : 0;
      if ((bytes & mask) != 0)
        owner = owner == nobody || owner == mine ? mine : several;
    }
    if (entry->thread != thread)
      entry->thread = severalThreads;
    entry->readers = line.isWritten() ? 0 : entry->readers + 1;
    entry->written |= line.isWritten();
    return true;
  }

  /// One in 2^shift() lines is known.
  unsigned shift() const { return keptShift; }
  void forget() {
    for (std::uint32_t i = 0; entries && i < capacity; ++i)
      entries[i] = {};
    used = 0;
    keptShift = 0;
  }

private:
  static constexpr std::uint32_t capacity = 2 * mostLines;
  static constexpr unsigned partBytes = 4;
  static constexpr unsigned parts = format::cacheLineBytes / partBytes;
  static constexpr std::uint64_t partMask = (1u << partBytes) - 1;
  static constexpr std::uint16_t nobody = 0;
  static constexpr std::uint16_t several = 0xffff;
  static constexpr std::uint32_t severalThreads = 0;

  struct Entry {
    std::uint64_t line; ///< plus one; 0: free
    std::uint32_t thread;
    std::uint32_t readers;
    bool written;
    std::uint16_t owners[parts];
  };

  /// Threads whose numbers are 65534 apart are taken for one.
  static std::uint16_t shortNumber(std::uint32_t thread) {
    return static_cast<std::uint16_t>(1 + thread % (several - 1));
  }

  bool allocate() {
    entries = reinterpret_cast<Entry *>(mapPages(capacity * sizeof(Entry)));
    return entries != nullptr;
  }
  Entry *find(std::uint64_t line, std::uint64_t hash) {
    std::uint64_t at = hash % capacity;
    while (entries[at].line != 0 && entries[at].line != line + 1)
      at = (at + 1) % capacity;
    return &entries[at];
  }
  void keepFewer() {
    auto *const old = entries;
    if (!allocate()) {
      entries = old;
      return forget();
    }
    ++keptShift;
    used = 0;
    for (std::uint32_t i = 0; i < capacity; ++i) {
      const std::uint64_t hash = hashLine(old[i].line - 1);
      if (old[i].line == 0 || !isKept(hash, keptShift))
        continue;
      *find(old[i].line - 1, hash) = old[i];
      ++used;
    }
    munmap(old, capacity * sizeof(Entry));
  }

  Entry *entries = nullptr; ///< null: nothing was touched
  std::uint32_t used = 0;
  unsigned keptShift = 0;
};

} // namespace qdadvise::runtime
