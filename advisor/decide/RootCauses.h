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

/// What a finding was found by; bits, as a cause may show in several ways.
enum Symptom : unsigned {
  contendedRarely = 1u << 0, ///< Q1: high contention, few acquisitions
  contendedOften = 1u << 1,  ///< Q2: high contention, many acquisitions
  acquiredOften = 1u << 2,   ///< Q4: many acquisitions, low contention
  triesFail = 1u << 3,
  unevenContention = 1u << 4,
  unevenLoad = 1u << 5,
  traced = 1u << 6, ///< its sections were traced, and what contends for it is not known
};

/// What traced executions of all these sections do, per execution.
struct MemoryEvidence {
  double executions = 0;
  double instructions = 0;
  double sharedAccesses = 0; ///< to what other threads, or executions, access, too
  double writtenLines = 0;   ///< cache lines
  double lines = 0;          ///< the same, distinct over all executions
  double conflict = 0;       ///< pairwise, by location; 0 where nothing was compared
  double unsafeAccesses = 0; ///< shared ones, not atomic, to what some execution writes
  bool large = false, small = false;
  bool mostlyUnshared = false;  ///< few of the instructions of large ones access shared memory
  bool oneLocation = false;     ///< small ones access one location each, and write it
  bool mostlyAtomic = false;    ///< they have atomic operations, and few unsafe accesses
  bool mostlyReads = false;     ///< few executions write
  std::optional<bool> muchData; ///< many lines, rare conflicts; none where it may be or not
  /// Places of sections, those without data in common apart; empty where all have some, or it is
  /// not known.
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
  bool opaque = true;                   ///< does what the compiler and a diagnosis run cannot see
  std::optional<bool> contended;        ///< moderately at least; none where one thread was there
  std::optional<bool> isShort;          ///< typically; none where no times were taken
  double holdNs = 0;                    ///< typical: the median, and what is nested on average
  std::string alwaysInside;             ///< the lock that is always held meanwhile
  std::vector<std::string> locksInside; ///< taken in half of the sections at least, if several
  bool insideOverlaps = false;          ///< what one of these protects is used with another held
  std::string inARow; ///< function that takes it at several places, one right after the other
  std::optional<MemoryEvidence> memory; ///< of a diagnosis run
};

/// How sure it is that a cause is the one.
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
  const char *condition; ///< what is so if this is it
  const char *remedy;    ///< what to do then, in the imperative
};

/// A cause that remains, in words.
struct CauseFound {
  const RootCause *cause;
  Verdict verdict;
  std::string text; ///< `its sections only …: make …`, with `if` where it is open
};

/// The causes of a symptom that the evidence leaves, the surest first; where one is shown, none
/// that is not.
std::vector<CauseFound> causesOf(Symptom symptom, const SectionEvidence &evidence);

} // namespace qdadvise
