// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who touched which cache lines in critical sections: what is shared, and what would have to move
// to another core. Bounded: a line is forgotten when about so many others have been touched since
// as the caches of a core have lines. It would not be in another core's cache any more.
#pragma once

#include "runtime/base/pages.h"
#include "runtime/memory/memory_trace.h"

#include <cstdint>

namespace qdadvise::runtime {

class TouchedLines {
public:
  static constexpr std::uint32_t mostLines = 1u << 16;
  /// The first ones that use a line; of further ones it is told what they share with these.
  static constexpr unsigned sitesPerLine = 4;

  /// What a line was before the execution at hand touched it. Bytes are told in whole parts, of
  /// those that it touches.
  struct Before {
    std::uint64_t sharedBytes;  ///< touched by another thread before
    std::uint64_t touchedBytes; ///< by any execution
    std::uint64_t writtenBytes; ///< by any execution
    bool isKnown;               ///< some execution touched the line
    bool isPrivate;             ///< only this thread ever touched the line
    bool isWritten;             ///< some execution wrote to it
    std::uint32_t readers;      ///< executions that have read it since
    /// Other sites of which executions used some of these parts, and one of the two wrote there.
    std::uint32_t sites[sitesPerLine];
    unsigned siteCount;
  };

  /// An execution of `thread` (a number > 0) has touched `line`, in a section that was entered at
  /// `site` (a number > 0). False when out of memory.
  bool touch(const TracedLine &line, std::uint32_t thread, std::uint32_t site, Before &before) {
    if (!rows && !allocate())
      return false;
    ++now;
    Entry &entry = placeOf(line.line);
    const bool isKnown = entry.line == line.line + 1;
    if (!isKnown) {
      entry = {};
      entry.line = line.line + 1;
      entry.thread = thread;
    }
    entry.time = now;
    before = {0,  0, 0, isKnown, entry.thread == thread, entry.writtenParts != 0, entry.readers,
              {}, 0};
    SiteUse use{site, 0, 0};
    const std::uint16_t mine = shortNumber(thread);
    for (std::uint64_t left = firstBytes(line.read | line.written); left != 0; left &= left - 1) {
      const auto part = static_cast<unsigned>(__builtin_ctzll(left)) / partBytes;
      std::uint16_t &owner = entry.owners[part];
      const std::uint64_t mask = partMask << part * partBytes;
      before.touchedBytes |= owner != nobody ? mask : 0;
      before.sharedBytes |= owner != nobody && owner != mine ? mask : 0;
      before.writtenBytes |= (entry.writtenParts >> part & 1) != 0 ? mask : 0;
      const auto bit = static_cast<std::uint16_t>(1u << part);
      use.read |= (line.read & mask) != 0 ? bit : 0;
      use.written |= (line.written & mask) != 0 ? bit : 0;
      owner = owner == nobody || owner == mine ? mine : several;
    }
    if (entry.thread != thread)
      entry.thread = severalThreads;
    entry.readers = line.isWritten() ? 0 : entry.readers + 1;
    entry.writtenParts |= use.written;
    noteUse(entry, use, before);
    return true;
  }

  void forget() {
    for (std::uint32_t i = 0; rows && i < rowCount; ++i)
      rows[i] = {};
  }

private:
  static constexpr unsigned perRow = 8;
  static constexpr std::uint32_t rowCount = mostLines / perRow;
  static constexpr unsigned partBytes = 4;
  static constexpr unsigned parts = format::cacheLineBytes / partBytes;
  static constexpr std::uint64_t partMask = (1u << partBytes) - 1;
  static constexpr std::uint16_t nobody = 0;
  static constexpr std::uint16_t several = 0xffff;
  static constexpr std::uint32_t severalThreads = 0;

  /// What executions of a site have used of a line, a bit for a part.
  struct SiteUse {
    std::uint32_t site; ///< 0: free
    std::uint16_t read, written;
  };

  struct Entry {
    std::uint64_t line; ///< plus one; 0: free
    std::uint64_t time; ///< of the last touch
    std::uint32_t thread;
    std::uint32_t readers;
    std::uint16_t writtenParts; ///< a bit each
    std::uint16_t owners[parts];
    SiteUse uses[sitesPerLine]; ///< free ones last
  };

  struct Row {
    Entry entries[perRow];
  };

  /// Threads whose numbers are 65534 apart are taken for one.
  static std::uint16_t shortNumber(std::uint32_t thread) {
    return static_cast<std::uint16_t>(1 + thread % (several - 1));
  }

  static void noteUse(Entry &entry, const SiteUse &now, Before &before) {
    SiteUse *own = nullptr;
    for (SiteUse &use : entry.uses) {
      if (use.site == 0 || use.site == now.site)
        own = own ? own : &use;
      else if ((now.written & (use.read | use.written)) != 0 || (now.read & use.written) != 0)
        before.sites[before.siteCount++] = use.site;
    }
    if (!own)
      return;
    own->site = now.site;
    own->read |= now.read;
    own->written |= now.written;
  }

  /// The first byte of each part of which some bytes are among these.
  static std::uint64_t firstBytes(std::uint64_t bytes) {
    static_assert(partBytes == 4);
    bytes |= bytes >> 1;
    return (bytes | bytes >> 2) & 0x1111111111111111u;
  }

  bool allocate() {
    rows = reinterpret_cast<Row *>(mapPages(rowCount * sizeof(Row)));
    return rows != nullptr;
  }
  /// The place of the line, or else the one in its row that was touched least recently.
  Entry &placeOf(std::uint64_t line) {
    Row &row = rows[hashLine(line) % rowCount];
    Entry *oldest = &row.entries[0];
    for (Entry &entry : row.entries) {
      if (entry.line == line + 1)
        return entry;
      oldest = entry.time < oldest->time ? &entry : oldest;
    }
    return *oldest;
  }

  Row *rows = nullptr; ///< null: nothing was touched
  std::uint64_t now = 0;
};

} // namespace qdadvise::runtime
