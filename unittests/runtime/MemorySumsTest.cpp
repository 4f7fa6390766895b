// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What executions do to memory, against sets of bytes that forget nothing.
#include "runtime/memory/memory_sums.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

using namespace qdadvise;
using namespace qdadvise::runtime;

namespace {

constexpr std::uint64_t base = 0x7f0000000000;
constexpr std::uint64_t lockA = 0x1000, lockB = 0x2000;

struct Access {
  std::uint64_t address, bytes;
  std::uint32_t what;
};

/// An execution, as sets.
struct Sets {
  std::set<std::uint64_t> read, written, starts; ///< bytes

  explicit Sets(const std::vector<Access> &accesses) {
    for (const Access &access : accesses)
      for (std::uint64_t i = 0; i < access.bytes; ++i) {
        if (access.what & accessRead)
          read.insert(access.address + i);
        if (access.what & accessWrite)
          written.insert(access.address + i);
        if (i % 8 == 0)
          starts.insert(access.address + i);
      }
  }
  std::set<std::uint64_t> lines(bool written_) const {
    std::set<std::uint64_t> result;
    for (const std::uint64_t byte : written_ ? written : read)
      result.insert(byte / 64);
    return result;
  }
  std::set<std::uint64_t> allLines() const {
    std::set<std::uint64_t> result = lines(true);
    result.merge(lines(false));
    return result;
  }
  bool touches(std::uint64_t byte) const { return read.count(byte) || written.count(byte); }
};

class MemorySumsTest : public ::testing::Test {
protected:
  /// Of a lock and a thread, one after the other; into one section's sums().
  void run(const std::vector<Access> &accesses, std::uint64_t lock = lockA,
           std::uint32_t thread = 1) {
    run(accesses, lock, thread, all);
  }
  void run(const std::vector<Access> &accesses, std::uint64_t lock, std::uint32_t thread,
           MemorySums &into) {
    trace->clear();
    if (into.entry.site == 0)
      into.entry.site = 1;
    for (const Access &access : accesses)
      trace->add(access.address, access.bytes, access.what);
    addExecution(*trace, lock, thread, *known, into);
  }
  std::vector<Access> randomAccesses(unsigned most, std::uint64_t span) {
    std::vector<Access> result(random() % most + 1);
    for (Access &access : result) {
      const std::uint64_t bytes = random() % 8 == 0 ? random() % 200 : 1ull << random() % 5;
      access = {base + random() % span, bytes, static_cast<std::uint32_t>(random() % 3 + 1)};
    }
    return result;
  }

  std::unique_ptr<MemoryTrace> trace = std::make_unique<MemoryTrace>();
  std::unique_ptr<MemoryKnowledge> known = std::make_unique<MemoryKnowledge>();
  /// As a profile has it.
  format::MemoryEntry sums() const { return all.decided(); }
  MemorySums all{};
  std::mt19937_64 random{7};
};

TEST_F(MemorySumsTest, CountsAccessesAndDistinctPlacesAsSetsOfBytesDo) {
  std::uint64_t reads = 0, writes = 0, locationsRead = 0, locationsWritten = 0, linesRead = 0,
                linesWritten = 0;
  for (unsigned i = 0; i < 500; ++i) {
    const std::vector<Access> accesses = randomAccesses(60, 4096);
    run(accesses);
    const Sets sets(accesses);
    for (const Access &access : accesses) {
      reads += access.bytes > 0 && (access.what & accessRead) ? 1 : 0;
      writes += access.bytes > 0 && (access.what & accessWrite) ? 1 : 0;
    }
    for (const std::uint64_t start : sets.starts)
      ++(sets.written.count(start) ? locationsWritten : locationsRead);
    linesWritten += sets.lines(true).size();
    linesRead += sets.allLines().size() - sets.lines(true).size();
  }
  EXPECT_EQ(sums().executions, 500u);
  EXPECT_EQ(sums().reads, reads);
  EXPECT_EQ(sums().writes, writes);
  EXPECT_EQ(sums().locationsRead, locationsRead);
  EXPECT_EQ(sums().locationsWritten, locationsWritten);
  EXPECT_EQ(sums().linesRead, linesRead);
  EXPECT_EQ(sums().linesWritten, linesWritten);
}

TEST_F(MemorySumsTest, SeesConflictsOfNeighboursToTheByte) {
  format::ConflictPairs wanted{};
  format::WriterPairs ofWriters{};
  std::uint64_t writers = 0;
  std::map<std::uint32_t, Sets> last; // by thread
  for (unsigned i = 0; i < 400; ++i) {
    const std::vector<Access> accesses = randomAccesses(6, 1024);
    const Sets mine(accesses);
    const std::uint32_t thread = i % 3 + 1;
    for (const auto &[other, theirs] : last) {
      if (other == thread)
        continue;
      bool conflicts = false;
      for (const std::uint64_t byte : theirs.written)
        conflicts |= mine.touches(byte);
      std::uint64_t lines = 0;
      const std::set<std::uint64_t> ours = mine.allLines();
      for (const std::uint64_t line : theirs.lines(true))
        lines += ours.count(line);
      ++wanted.pairs;
      wanted.conflicts += conflicts;
      ofWriters.pairs += !mine.written.empty();
      ofWriters.conflicts += !mine.written.empty() && conflicts;
      wanted.lineConflicts += lines > 0;
      wanted.lines += lines;
    }
    writers += !mine.written.empty();
    run(accesses, lockA, thread);
    last.insert_or_assign(thread, mine);
  }
  EXPECT_EQ(sums().others.pairs, wanted.pairs);
  EXPECT_EQ(sums().others.conflicts, wanted.conflicts);
  EXPECT_EQ(sums().others.lineConflicts, wanted.lineConflicts);
  EXPECT_EQ(sums().others.lines, wanted.lines);
  EXPECT_EQ(sums().own.pairs, 0u);
  EXPECT_EQ(sums().writers, writers);
  EXPECT_LT(writers, sums().executions) << "some only read";
  EXPECT_EQ(sums().othersOfWriters.pairs, ofWriters.pairs);
  EXPECT_EQ(sums().othersOfWriters.conflicts, ofWriters.conflicts);
  EXPECT_EQ(sums().ownOfWriters.pairs, 0u);
  EXPECT_GT(wanted.conflicts, 0u);
  EXPECT_GT(wanted.lineConflicts, wanted.conflicts) << "some were false";
}

TEST_F(MemorySumsTest, TellsFalseConflictsFromTrueOnes) {
  for (unsigned i = 0; i < 8; ++i) // taking turns
    run({}, lockA, i % 2 + 1);
  const format::ConflictPairs before = all.entry.others;
  EXPECT_EQ(before.lineConflicts, 0u);
  run({{base, 4, accessWrite}}, lockA, 1);
  run({{base + 4, 4, accessWrite}}, lockA, 2); // its neighbour in the line
  EXPECT_EQ(sums().others.lineConflicts, 1u);
  EXPECT_EQ(sums().others.conflicts, 0u);
  run({{base + 4, 2, accessRead}}, lockA, 1); // part of what the other wrote
  EXPECT_EQ(sums().others.conflicts, 1u);
  EXPECT_EQ(sums().others.locations, 1u);
  run({{base + 64, 4, accessWrite}}, lockA, 2); // nobody wrote there
  EXPECT_EQ(sums().others.pairs, before.pairs + 4);
  EXPECT_EQ(sums().others.lineConflicts, 2u);
}

TEST_F(MemorySumsTest, ComparesExecutionsOfOneLockOnly) {
  run({{base, 8, accessWrite}}, lockA, 1);
  run({{base, 8, accessWrite}}, lockB, 2);
  EXPECT_EQ(sums().others.pairs + sums().own.pairs, 0u);
}

TEST_F(MemorySumsTest, LetsOneThreadsExecutionsStandInWhereThereIsNoOther) {
  for (unsigned i = 0; i < 10; ++i)
    run({{base, 8, accessWrite}}, lockA, 1);
  EXPECT_EQ(sums().own.pairs, 9u);
  EXPECT_EQ(sums().own.conflicts, 9u);
  EXPECT_EQ(sums().others.pairs, 0u);
}

/// The main thread has filled a table before the only worker began.
TEST_F(MemorySumsTest, TakesNoTurnsForAThreadThatCameOnceBefore) {
  run({{base, 8, accessWrite}}, lockA, 1);
  for (unsigned i = 0; i < 1000; ++i)
    run({{base + 64, 8, accessWrite}}, lockA, 2);
  EXPECT_EQ(sums().others.pairs, 0u);
  EXPECT_EQ(sums().own.pairs, 999u);
  EXPECT_EQ(sums().sharedAccesses, 999u);
}

/// Each thread comes ten times in a row: its last times are compared with the other's.
TEST_F(MemorySumsTest, ComparesRowsOfExecutionsPairByPair) {
  for (unsigned turn = 0; turn < 20; ++turn)
    for (unsigned i = 0; i < 10; ++i) // only the last but one writes what all read
      run({{base, 8, i == 8 ? accessWrite : accessRead}}, lockA, turn % 2 + 1);
  EXPECT_EQ(sums().others.pairs, 19u * RecentExecutions::perThread);
  EXPECT_EQ(sums().others.conflicts, 19u);
}

TEST_F(MemorySumsTest, CallsSharedWhatAnotherThreadHasTouched) {
  for (unsigned i = 0; i < 100; ++i) {
    const std::uint32_t thread = i % 2 + 1;
    run({{base, 8, accessRead},
         {base + 64 * thread, 4, accessWrite},
         {base + 4 * thread + 8, 4, accessWrite}},
        lockA, thread);
  }
  EXPECT_EQ(sums().sharedAccesses, 99u) << "what each has for itself is not, in one line or not";
  EXPECT_EQ(sums().privateLines, 100u + 1) << "and what is of both, before the other came";
}

TEST_F(MemorySumsTest, CallsSharedWhatAnExecutionBeforeHasTouchedWhereThereIsOneThread) {
  for (unsigned i = 0; i < 100; ++i)
    run({{base, 8, accessWrite}, {base + 64 * (i + 1), 8, accessWrite}}); // new memory each time
  EXPECT_EQ(sums().sharedAccesses, 99u);
  EXPECT_EQ(sums().privateLines, 0u);
}

TEST_F(MemorySumsTest, TellsAccessesThatNeedNoLockFromOthers) {
  constexpr std::uint32_t both = accessRead | accessWrite;
  const auto sharedAndSafe = [&](const std::vector<Access> &accesses, std::uint32_t threads) {
    all = {};
    known->lines.forget();
    for (unsigned i = 0; i < 100; ++i)
      run(accesses, lockA, i % threads + 1);
    return std::pair(sums().sharedAccesses, sums().safeAccesses);
  };
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  const Access update = {base, 4, both | accessAtomic};
  for (const std::uint32_t threads : {1u, 2u}) {
    EXPECT_EQ(sharedAndSafe({update}, threads), Counts(198, 198));
    EXPECT_EQ(sharedAndSafe({{base, 4, both}}, threads), Counts(198, 0));
    EXPECT_EQ(sharedAndSafe({update, {base + 8, 8, accessRead}}, threads), Counts(297, 297))
        << "nobody writes to what is beside it";
    EXPECT_EQ(sharedAndSafe({update, {base + 64, 8, accessWrite}}, threads), Counts(297, 198));
    EXPECT_EQ(sharedAndSafe({update, {base, 4, accessRead}}, threads), Counts(297, 0))
        << "some of them are not atomic";
    EXPECT_EQ(sharedAndSafe({{base, 64, accessRead}, {base + 60, 4, accessWrite}}, threads).second,
              99u)
        << "an eighth of a copy is not lost";
  }
}

/// What was only read may have been written before it was shared.
TEST_F(MemorySumsTest, TakesForReadOnlyWhatNoExecutionHasWrittenYet) {
  for (unsigned i = 0; i < 20; ++i)
    run({{base, 8, i == 9 ? accessWrite : accessRead}}, lockA, i % 2 + 1);
  EXPECT_EQ(sums().sharedAccesses, 19u);
  EXPECT_EQ(sums().safeAccesses, 8u);
}

TEST_F(MemorySumsTest, TellsWhichSitesUseTheSameData) {
  std::map<std::uint32_t, MemorySums> sites;
  const auto at = [&](std::uint32_t site, const std::vector<Access> &accesses) {
    sites[site].entry.site = site;
    run(accesses, lockA, 1, sites[site]);
  };
  const auto overlaps = [&](std::uint32_t site) {
    std::map<std::uint32_t, std::uint64_t> result;
    for (const format::SiteOverlap &overlap : sites[site].decided().overlaps)
      if (overlap.site != 0)
        result[overlap.site] = overlap.executions;
    return result;
  };
  using Overlaps = std::map<std::uint32_t, std::uint64_t>;
  constexpr std::uint64_t limit = base + 4096;
  for (unsigned i = 0; i < 10; ++i) {
    const std::uint64_t item = base + 64 * (i + 1);
    at(2, {{limit, 8, accessRead}, {base, 4, accessWrite}, {item, 8, accessWrite}});
    at(3, {{limit, 8, accessRead}, {base + 4, 4, accessWrite}}); // the same lines, other places
    if (i == 6)
      at(4, {{base + 64, 128, accessRead}});
  }
  EXPECT_EQ(overlaps(2), Overlaps()) << "what was read there came before";
  EXPECT_EQ(overlaps(3), Overlaps()) << "both only read the limit";
  EXPECT_EQ(overlaps(4), (Overlaps{{2, 1}})) << "once, however many lines";
  at(2, {{base + 64, 8, accessWrite}, {base + 4, 4, accessRead}});
  EXPECT_EQ(overlaps(2), (Overlaps{{3, 1}, {4, 1}})) << "it wrote, or the other one";
  EXPECT_EQ(sites[2].decided().otherOverlaps, 0u);
}

/// The least numbers are kept, whatever came first, and how often there were others.
TEST_F(MemorySumsTest, BoundsTheSitesWithTheSameData) {
  constexpr unsigned count = 20;
  std::vector<MemorySums> sites(count + 1);
  for (unsigned site = count; site >= 1; --site) {
    sites[site].entry.site = site;
    run({{base + 64 * site, 8, accessWrite}}, lockA, 1, sites[site]);
  }
  for (unsigned site = count; site >= 1; --site)
    run({{base + 64 * site, 8, accessRead}});
  const format::MemoryEntry entry = sums();
  EXPECT_EQ(entry.overlaps[0].site, 2u) << "its own does not count";
  for (unsigned i = 1; i < format::overlapSlots; ++i)
    EXPECT_EQ(entry.overlaps[i].site, i + 2);
  EXPECT_EQ(entry.otherOverlaps, count - 1 - format::overlapSlots);
}

TEST_F(MemorySumsTest, TellsByHowManyReadersALineWasReadSinceItWasWritten) {
  run({{base, 8, accessWrite}});
  for (unsigned i = 0; i < 5; ++i)
    run({{base, 8, accessRead}});
  run({{base, 8, accessRead}, {base, 8, accessWrite}});
  run({{base, 8, accessWrite}});
  for (unsigned i = 0; i < 3; ++i)
    run({{base + 640, 8, accessRead}}); // nobody ever writes it
  const format::MemoryEntry entry = sums();
  const std::vector<std::uint64_t> read(entry.readAfter, entry.readAfter + format::readersBuckets);
  const std::vector<std::uint64_t> written(entry.writtenAfter,
                                           entry.writtenAfter + format::readersBuckets);
  EXPECT_EQ(read, (std::vector<std::uint64_t>{1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(written, (std::vector<std::uint64_t>{1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(MemorySumsTest, TellsLinesThatCameOneAfterTheOther) {
  constexpr std::uint32_t chained = accessRead | accessChained;
  for (const std::uint32_t threads : {1u, 2u}) {
    all = {};
    known->lines.forget();
    for (unsigned i = 0; i < 100; ++i)
      run({{base, 8, accessWrite},
           {base + 64, 8, chained},
           {base + 72, 8, accessWrite}, // in a line with it
           {base + 128, 8, chained}},   // never written: it does not move
          lockA, i % threads + 1);
    EXPECT_EQ(sums().writtenAfter[0], 2 * 99u);
    EXPECT_EQ(sums().chainedLines, 99u);
  }
}

TEST(ReadersBucket, DoublesFromFourOn) {
  const std::map<std::uint32_t, unsigned> wanted = {
      {0, 0}, {1, 1}, {3, 3}, {4, 4}, {7, 4}, {8, 5}, {15, 5}, {511, 10}, {512, 11}, {100'000, 11}};
  for (const auto &[readers, bucket] : wanted)
    EXPECT_EQ(readersBucket(readers), bucket) << readers;
}

/// More lines than are kept: distinct ones are estimated, counts stay exact.
TEST_F(MemorySumsTest, EstimatesLinesOfLargeExecutions) {
  for (const std::uint64_t lines : {1024u, 5000u, 40'000u}) {
    all = {};
    std::vector<Access> accesses;
    for (std::uint64_t i = 0; i < lines; ++i)
      accesses.push_back({base + 64 * i, 8, accessWrite});
    run(accesses);
    EXPECT_EQ(sums().writes, lines);
    const auto wanted = static_cast<double>(lines);
    EXPECT_NEAR(static_cast<double>(sums().linesWritten), wanted, 0.15 * wanted);
    EXPECT_NEAR(static_cast<double>(sums().locationsWritten), wanted, 0.15 * wanted);
  }
}

/// One access may be of megabytes.
TEST_F(MemorySumsTest, TakesLongAccesses) {
  run({{base + 60, 1 << 20, accessRead}});
  EXPECT_EQ(sums().reads, 1u);
  EXPECT_NEAR(static_cast<double>(sums().linesRead), (1 << 20) / 64 + 1, 2500);
}

TEST_F(MemorySumsTest, CountsNoAccessesOfNothing) {
  run({{base, 0, accessRead}, {base, 0, accessWrite}, {base, 4, accessRead}});
  EXPECT_EQ(sums().reads, 1u);
  EXPECT_EQ(sums().writes, 0u);
  EXPECT_EQ(sums().linesWritten, 0u);
}

/// What other cores' caches cannot have any more does not move.
TEST_F(MemorySumsTest, ForgetsLinesAfterManyOthers) {
  const auto touch = [&](std::uint64_t from, std::uint64_t count) {
    for (std::uint64_t i = from; i < from + count; ++i)
      run({{base + 64 * i, 8, accessWrite}});
  };
  touch(0, 1000);
  touch(1000, 20'000);
  touch(0, 1000);
  EXPECT_NEAR(static_cast<double>(sums().writtenAfter[0]), 1000, 20);
  touch(1'000'000, 4 * TouchedLines::mostLines);
  touch(0, 1000);
  EXPECT_NEAR(static_cast<double>(sums().writtenAfter[0]), 1000, 20);
}

} // namespace
