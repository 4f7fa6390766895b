// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the last executions of critical sections wrote, by lock and thread: an execution is compared
// with its neighbours in time, those of other threads (Roy, Hand and Harris 2009, section 2.3).
// There the nearest ones before and after count; here it is those before, which are as often the
// one as the other of two neighbours. Where a thread comes several times in a row, its second time
// is compared with the other's last but one, and so on: each pair is another one. Bounded: of many
// locks, a part.
#pragma once

#include "runtime/base/hash_index.h"
#include "runtime/base/pages.h"
#include "runtime/memory/memory_trace.h"

#include <cstdint>

namespace qdadvise::runtime {

class RecentExecutions {
public:
  static constexpr unsigned mostLines = 256; ///< of an execution
  static constexpr unsigned perThread = 4;   ///< executions of a thread with a lock

  /// An execution of `thread` on `lock` has ended: adds what it would have seen of its neighbours
  /// to those with `others`, and of its own thread's execution before it to its `own`. Returns
  /// whether another thread had the lock before.
  bool compare(const MemoryTrace &trace, std::uint64_t lock, std::uint32_t thread,
               format::MemoryEntry &sums) {
    if (!rows && !allocate())
      return false;
    ++now;
    Row &row = rows[mixHash(0, lock) >> 32 & (rowCount - 1)];
    unsigned latest[perRow]; // of this lock, the last one first
    const unsigned count = onLock(row, lock, latest);
    for (unsigned i = 0; i < count; ++i) {
      const std::uint32_t of = row.executions[latest[i]].thread;
      // The two threads take turns: since the other's last execution this thread has had as many
      // as the other has had since this one.
      const unsigned since =
          of == thread ? 0 : countOf(row, latest, lastOf(row, latest, of), thread);
      if (countOf(row, latest, i, of) == since && since < perThread)
        of == thread ? comparePair(trace, row, latest[i], sums.own, sums.ownOfWriters)
                     : comparePair(trace, row, latest[i], sums.others, sums.othersOfWriters);
    }
    const bool switched = count != 0 && row.executions[latest[0]].thread != thread;
    const unsigned place = placeFor(row, lock, thread);
    if (place < perRow)
      remember(trace, lock, thread, row, place);
    return switched;
  }

  void forget() {
    for (unsigned i = 0; rows && i < rowCount; ++i)
      for (Execution &execution : rows[i].executions)
        execution.lock = 0;
  }

private:
  static constexpr unsigned rowCount = 128;
  static constexpr unsigned perRow = 16;
  /// A lock that was not taken during so many executions gives up its place.
  static constexpr std::uint64_t patience = 1u << 14;

  struct Line {
    std::uint64_t line;
    std::uint64_t written;
  };
  struct Execution {
    std::uint64_t lock; ///< 0: free
    std::uint64_t time;
    std::uint32_t thread;
    std::uint32_t lineCount;
    std::uint32_t shift; ///< one in 2^shift lines is here
  };
  struct Row {
    Execution executions[perRow];
    Line lines[perRow][mostLines]; ///< written ones: nobody sees what is read
  };

  bool allocate() {
    rows = reinterpret_cast<Row *>(mapPages(rowCount * sizeof(Row)));
    return rows != nullptr;
  }

  /// The executions on a lock, the last one first. Returns how many there are.
  static unsigned onLock(const Row &row, std::uint64_t lock, unsigned (&latest)[perRow]) {
    unsigned count = 0;
    for (unsigned i = 0; i < perRow; ++i) {
      if (row.executions[i].lock != lock)
        continue;
      unsigned at = count++;
      for (; at > 0 && row.executions[latest[at - 1]].time < row.executions[i].time; --at)
        latest[at] = latest[at - 1];
      latest[at] = i;
    }
    return count;
  }

  /// Place in `latest` of a thread that is there.
  static unsigned lastOf(const Row &row, const unsigned (&latest)[perRow], std::uint32_t thread) {
    unsigned at = 0;
    while (row.executions[latest[at]].thread != thread)
      ++at;
    return at;
  }

  /// How many of the first ones are of `thread`.
  static unsigned countOf(const Row &row, const unsigned (&latest)[perRow], unsigned first,
                          std::uint32_t thread) {
    unsigned count = 0;
    for (unsigned i = 0; i < first; ++i)
      count += row.executions[latest[i]].thread == thread;
    return count;
  }

  /// A free place, or that of the thread's oldest if it has its share; perRow: others want all.
  unsigned placeFor(const Row &row, std::uint64_t lock, std::uint32_t thread) const {
    unsigned oldest = perRow, unused = perRow, count = 0;
    for (unsigned i = 0; i < perRow; ++i) {
      const Execution &execution = row.executions[i];
      if (execution.lock == lock && execution.thread == thread) {
        ++count;
        oldest = oldest == perRow || execution.time < row.executions[oldest].time ? i : oldest;
      } else if (execution.lock == 0 || execution.time + patience < now) {
        unused = i;
      }
    }
    return unused < perRow && count < perThread ? unused : oldest;
  }

  void remember(const MemoryTrace &trace, std::uint64_t lock, std::uint32_t thread, Row &row,
                unsigned place) const {
    Execution &into = row.executions[place];
    into = {lock, now, thread, 0, trace.shift()};
    for (;; ++into.shift) {
      into.lineCount = 0;
      bool fits = true;
      for (const TracedLine &line : trace) {
        if (!line.isWritten() || (into.shift != 0 && !isKept(hashLine(line.line), into.shift)))
          continue;
        fits = into.lineCount < mostLines;
        if (!fits)
          break;
        row.lines[place][into.lineCount++] = {line.line, line.written};
      }
      if (fits)
        return;
    }
  }

  static void comparePair(const MemoryTrace &trace, const Row &row, unsigned place,
                          format::ConflictPairs &pairs, format::WriterPairs &ofWriters) {
    const Execution &before = row.executions[place];
    const unsigned shift = trace.shift() > before.shift ? trace.shift() : before.shift;
    std::uint64_t lines = 0, locations = 0;
    bool sameBytes = false;
    for (std::uint32_t i = 0; i < before.lineCount; ++i) {
      const Line &theirs = row.lines[place][i];
      const TracedLine *const ours = trace.find(theirs.line);
      if (!ours || (shift != 0 && !isKept(hashLine(theirs.line), shift)))
        continue;
      ++lines;
      const std::uint64_t common = theirs.written & (ours->read | ours->written);
      sameBytes |= common != 0;
      const auto starts =
          static_cast<std::uint64_t>(__builtin_popcountll(ours->starts & theirs.written));
      locations += starts != 0 ? starts : common != 0;
    }
    ++pairs.pairs;
    pairs.conflicts += sameBytes;
    pairs.lineConflicts += lines != 0;
    pairs.locations += locations << shift;
    pairs.lines += lines << shift;
    ofWriters.pairs += trace.hasWritten();
    ofWriters.conflicts += trace.hasWritten() && sameBytes;
  }

  Row *rows = nullptr; ///< null: there was none
  std::uint64_t now = 0;
};

} // namespace qdadvise::runtime
