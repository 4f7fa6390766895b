// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why locks cost time, and what helps: the categories of SyncPerf (EuroSys 2017, table 1),
// narrowed by what the source and the run tell of the sections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// What a finding is recognised by. These are bits: a cause may have several symptoms.
enum Symptom : unsigned {
  contendedRarely = 1u << 0, ///< Q1: high contention, few acquisitions
  contendedOften = 1u << 1,  ///< Q2: high contention, many acquisitions
  acquiredOften = 1u << 2,   ///< Q4: many acquisitions, low contention
  triesFail = 1u << 3,
  unevenContention = 1u << 4,
  unevenLoad = 1u << 5,
  memoryTraced = 1u << 6, ///< its sections were traced, and its contention is not known
};

/// What the traced executions of sections do, on average per execution.
struct MemoryEvidence {
  double executions = 0;
  double instructions = 0;
  double sharedAccesses = 0; ///< to what other threads, or executions, access, too
  double writtenLines = 0;   ///< cache lines
  double lines = 0;          ///< cache lines, distinct over all executions
  double conflict = 0; ///< probability for two executions, by location; 0 if none were compared
  double unsafeAccesses = 0; ///< shared ones, not atomic, to what some execution writes
  bool large = false, small = false;
  bool mostlyUnshared = false;  ///< few of the instructions of large ones access shared memory
  bool oneLocation = false;     ///< small ones access one location each, and write it
  bool mostlyAtomic = false;    ///< they have atomic operations, and few unsafe accesses
  bool mostlyReads = false;     ///< few executions write
  std::optional<bool> muchData; ///< many lines and rare conflicts; none where that is not known
  /// The places of sections, one text for each group without data in common with the others. Empty
  /// where there is one group, or that is not known.
  std::vector<std::string> apart;

  bool nothingShared() const { return sharedAccesses == 0; }
  double unsafeShare() const { return sharedAccesses > 0 ? unsafeAccesses / sharedAccesses : 0; }
  double sharedShare() const { return instructions > 0 ? sharedAccesses / instructions : 0; }
};

/// What is known of the sections that take a lock.
struct SectionEvidence {
  bool factsKnown = false;   ///< of all of them
  bool oneInteger = false;   ///< each is one update of one integer
  bool empty = false;        ///< none does anything
  bool sleeps = false;       ///< one may wait, sleep, or do input or output
  bool waitsInside = false;  ///< a condition variable waits with the lock
  bool readersApart = false; ///< the lock lets readers in together
  bool spins = false;
  bool opaque = true;            ///< it does what neither compiler nor memory trace can see
  std::optional<bool> contended; ///< at least moderately; none where only one thread was there
  std::optional<bool> isShort;   ///< as a rule; none where no times were taken
  double holdNs = 0;             ///< typical: the median, and what is nested on average
  std::string alwaysInside;      ///< the lock that is always held meanwhile
  std::vector<std::string> locksInside; ///< taken in half of the sections at least, if several
  bool insideOverlaps = false;          ///< data that one of these protects are used under another
  std::string inARow; ///< function that takes it at several places, one right after the other
  std::optional<MemoryEvidence> memory; ///< of a memory trace
};

/// How certain a cause is.
enum class Verdict {
  excluded,
  open,  ///< nothing that was recorded tells
  fits,  ///< what was recorded agrees
  shown, ///< the source or the run shows it, and leaves no other
};

struct RootCause {
  const char *id;       ///< stable
  const char *category; ///< SyncPerf's
  unsigned symptoms;    ///< of Symptom
  Verdict (*judge)(const SectionEvidence &);
  const char *condition; ///< what holds if this is the cause
  const char *remedy;    ///< what to do then, in the imperative
};

/// A cause that the evidence does not exclude, in words.
struct CauseFound {
  const RootCause *cause;
  Verdict verdict;
  std::string text; ///< `its sections only …: make …`, with `if` where it is open
};

/// The causes of a symptom that the evidence does not exclude, the surest first. Where some are
/// shown, only these.
std::vector<CauseFound> causesOf(Symptom symptom, const SectionEvidence &evidence);

} // namespace qdadvise
