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

#include "runtime/hash_index.h"
#include "runtime/memory_trace.h"
#include "runtime/pages.h"

#include <cstdint>

namespace qdadvise::runtime {

class RecentExecutions {
public:
  static constexpr unsigned mostLines = 256; ///< of an execution
  static constexpr unsigned perThread = 4;   ///< executions of a thread with a lock

  /// An execution of `thread` on `lock` has ended: adds what it would have seen of its neighbours
  /// to `others`, and of its own thread's execution before it to `own`. Returns whether another
  /// thread had the lock before.
  bool compare(const MemoryTrace &trace, std::uint64_t lock, std::uint32_t thread,
               format::ConflictPairs &others, format::ConflictPairs &own) {
    if (!rows && !allocate())
      return false;
    ++now;
    Row &row = rows[mixHash(0, lock) >> 32 & (rowCount - 1)];
    const Execution *last = nullptr;
    for (const Execution &execution : row.executions) {
      if (execution.lock != lock)
        continue;
      if (!last || last->time < execution.time)
        last = &execution;
      const unsigned later = laterOnes(row, execution, execution.thread);
      if (execution.thread == thread ? later == 0
                                     : later == timesSince(row, lock, execution.thread, thread))
        comparePair(trace, execution, execution.thread == thread ? own : others);
    }
    const bool switched = last && last->thread != thread;
    if (Execution *const place = placeFor(row, lock, thread))
      remember(trace, lock, thread, *place);
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
    std::uint32_t shift;   ///< one in 2^shift lines is here
    Line lines[mostLines]; ///< written ones: nobody sees what is read
  };
  struct Row {
    Execution executions[perRow];
  };

  bool allocate() {
    rows = reinterpret_cast<Row *>(mapPages(rowCount * sizeof(Row)));
    return rows != nullptr;
  }

  /// Executions of `thread` on the same lock that came later than `execution`.
  static unsigned laterOnes(const Row &row, const Execution &execution, std::uint32_t thread) {
    unsigned count = 0;
    for (const Execution &other : row.executions)
      count +=
          other.lock == execution.lock && other.thread == thread && other.time > execution.time;
    return count;
  }

  /// How often `thread` has come since `other` last did, as far as is known.
  static unsigned timesSince(const Row &row, std::uint64_t lock, std::uint32_t other,
                             std::uint32_t thread) {
    const Execution *last = nullptr;
    for (const Execution &execution : row.executions)
      if (execution.lock == lock && execution.thread == other &&
          (!last || last->time < execution.time))
        last = &execution;
    const unsigned times = last ? laterOnes(row, *last, thread) : 0;
    return times < perThread ? times : perRow; // perRow: longer ago than anything known
  }

  /// A free place, or the thread's oldest if it has its share; null if others want all.
  Execution *placeFor(Row &row, std::uint64_t lock, std::uint32_t thread) const {
    Execution *oldest = nullptr;
    Execution *unused = nullptr;
    unsigned count = 0;
    for (Execution &execution : row.executions) {
      if (execution.lock == lock && execution.thread == thread) {
        ++count;
        oldest = !oldest || execution.time < oldest->time ? &execution : oldest;
      } else if (execution.lock == 0 || execution.time + patience < now) {
        unused = &execution;
      }
    }
    return unused && count < perThread ? unused : oldest;
  }

  void remember(const MemoryTrace &trace, std::uint64_t lock, std::uint32_t thread,
                Execution &into) const {
    into.lock = lock;
    into.thread = thread;
    into.time = now;
    for (into.shift = trace.shift();; ++into.shift) {
      into.lineCount = 0;
      bool fits = true;
      for (const TracedLine &line : trace) {
        if (!line.isWritten() || !isKept(hashLine(line.line), into.shift))
          continue;
        if (!(fits = into.lineCount < mostLines))
          break;
        into.lines[into.lineCount++] = {line.line, line.written};
      }
      if (fits)
        return;
    }
  }

  static void comparePair(const MemoryTrace &trace, const Execution &before,
                          format::ConflictPairs &pairs) {
    const unsigned shift = trace.shift() > before.shift ? trace.shift() : before.shift;
    std::uint64_t lines = 0, locations = 0;
    bool sameBytes = false;
    for (std::uint32_t i = 0; i < before.lineCount; ++i) {
      const Line &theirs = before.lines[i];
      const TracedLine *const ours = trace.find(theirs.line);
      if (!ours || !isKept(hashLine(theirs.line), shift))
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
  }

  Row *rows = nullptr; ///< null: there was none
  std::uint64_t now = 0;
};

} // namespace qdadvise::runtime
