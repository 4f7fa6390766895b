// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile in memory: what one or more runs measured. Indices refer to the other vectors of the
// profile. Times are in nanoseconds.
#pragma once

#include "advisor/profile/Histogram.h"
#include "advisor/profile/Moments.h"
#include "advisor/profile/SectionMemory.h"
#include "advisor/support/Error.h"
#include "runtime/abi/profile_format.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// An address in code, as symbolizers take it.
struct CodeAddress {
  std::string module; ///< path of the executable or shared object
  std::uint64_t offset = 0;

  auto operator<=>(const CodeAddress &) const = default;
};

/// A frame of a call path: an address, or what a symbolizer made of it.
struct CallFrame {
  CodeAddress address; ///< has no module where it is not needed any more
  std::string function, file;
  std::uint32_t line = 0;
  bool own = false; ///< it is the site's own function, which may be inlined into others

  auto operator<=>(const CallFrame &) const = default;
};

struct ProfiledSite {
  std::string file, function, expression;
  std::uint32_t line = 0, column = 0, ordinal = 0;
  std::string lockName, lockType, declFile;
  std::uint32_t declLine = 0, declColumn = 0;
  std::uint32_t role = 0, kind = 0, flags = 0; ///< SiteRole, LockKind, SiteFlags (site_record.h)
  std::uint64_t sectionHash = 0, facts = 0;
  std::uint64_t executed = 0, inside = 0, tryFailures = 0;
  bool reentered = false; ///< its lock was taken again by its owner
  /// Where the call that took the lock returns to, if `file` and `line` are those of the called
  /// function.
  std::optional<CodeAddress> caller;
  /// The call path that reached the site, the innermost caller first, where sites are told apart by
  /// call paths. CallPaths.h joins sites that differ in it only.
  std::vector<CallFrame> path;
};

/// How readers share locks. All figures are zero where there were no readers.
struct ProfiledReaders {
  std::uint32_t most = 0; ///< the most readers at once in one lock
  double heldNs = 0;      ///< summed over readers; part of the locks' heldNs
  Moments busy;           ///< periods from the first reader of a lock in to the last one out

  void merge(const ProfiledReaders &other);
};

struct ProfiledLockClass {
  std::string name, type, declFile;
  std::uint32_t declLine = 0, declColumn = 0;
  std::uint32_t kind = 0; ///< LockKind
  ProfiledReaders readers;
  /// The number of merged runs with closed locks of the class; 0 if no run was merged.
  std::uint32_t closedRuns = 0;
};

struct ProfiledLock {
  std::size_t lockClass = 0;
  std::uint64_t address = 0; ///< 0 stands for all locks of the class beyond max_locks
  std::uint64_t acquisitions = 0, contended = 0;
  double heldNs = 0, waitNs = 0;
};

/// Closed locks, which have come and gone, of a class, with 2^bucket to 2^(bucket + 1) - 1
/// acquisitions each.
struct ProfiledInstances {
  std::size_t lockClass = 0;
  std::uint32_t bucket = 0;
  std::uint64_t instances = 0, acquisitions = 0, contended = 0;
  double heldNs = 0, waitNs = 0;
};

/// Threads of a class that take locks of a class, summed over the runs in which two or more threads
/// of a class took such locks, or one took locks that it had made. A lock is one thread's own if
/// others take it no more than once in format::ownedOf acquisitions.
struct ProfiledTakers {
  std::size_t lockClass = 0;
  std::optional<std::size_t> threadClass; ///< absent for threads of several classes in turn
  std::uint64_t threads = 0;
  std::uint64_t owners = 0; ///< of `threads`: those that have locks of their own
  std::uint64_t acquisitions = 0;
  std::uint64_t ofOwned = 0; ///< of `acquisitions`: those of locks that are some thread's own
  double heldNs = 0, ofOwnedHeldNs = 0;
  std::uint64_t runs = 1; ///< that are summed here
};

struct ProfiledThreadClass {
  std::string name, file;
  std::uint32_t line = 0, count = 0, maxAlive = 0;
  bool isMain = false;
  double aliveNs = 0, blockedNs = 0;
};

struct ProfiledSection {
  std::size_t threadClass = 0, site = 0, lockClass = 0;
  std::optional<std::size_t> inside; ///< the enclosing section
  bool shared = false, other = false;
  std::uint64_t acquisitions = 0, contended = 0, tryFailures = 0;
  Moments hold, wait, waitContended;
  /// Of the contended acquisitions, those that found a writer inside.
  std::uint64_t contendedByWriter = 0;
  Moments waitByWriter;
  Histogram holdHistogram, waitHistogram;
  std::optional<SectionMemory> memory; ///< absent where it was not traced

  /// The sum of all holding times. Those that were not measured, or left out, count as the mean.
  double heldNs() const { return hold.mean * static_cast<double>(acquisitions); }
};

struct ProfiledTransition {
  std::size_t threadClass = 0;
  std::optional<std::size_t> from, to; ///< absent before the first and after the last section
  Moments local, blocked;
  Histogram localHistogram;
  std::uint64_t barriers = 0; ///< that threads came to on the way, of those that are no sections
};

/// Locks taken in a module of the process where no hook told of it.
struct ProfiledUnseen {
  std::string module; ///< path of a shared library; the program's name
  std::uint64_t acquisitions = 0;
};

/// A round in which the program ran alone and in several copies at once. Times are processor time
/// of one copy.
struct ProfiledCopies {
  std::string cpu;              ///< the processor's model; "" where the system does not tell
  std::uint32_t processors = 0; ///< that the copies could run on
  std::uint32_t copies = 2;     ///< at once
  double aloneNs = 0, besideNs = 0;

  auto operator<=>(const ProfiledCopies &) const = default;
};

struct ProfiledWindow {
  double startNs = 0, durationNs = 0; ///< `startNs` is since the beginning of the (first) run
  struct Section {
    std::size_t section = 0;
    std::uint64_t acquisitions = 0;
    double holdNs = 0, waitNs = 0;

    auto operator<=>(const Section &) const = default;
  };
  struct Threads {
    std::size_t threadClass = 0;
    std::uint32_t active = 0;
    double localNs = 0, blockedNs = 0;

    auto operator<=>(const Threads &) const = default;
  };
  std::vector<Section> sections;
  std::vector<Threads> threads;

  auto operator<=>(const ProfiledWindow &) const = default;
};

struct Profile {
  std::string program, host, command;
  std::uint32_t flags = 0; ///< format::RunFlags
  std::uint64_t pid = 0, startUnixNs = 0;
  std::uint64_t runs = 1; ///< 0 for several runs that were merged before files told their number
  double durationNs = 0, ticksPerNs = 0, timerNs = 0, hookNs = 0;
  double slicedNs = 0; ///< of which durationNs was recorded, in slices; 0 where all was recorded
  double onProcessorNs = 0; ///< of the recorded threads
  double runDelayNs = 0;    ///< in which they were ready to run, and others had the processors
  std::uint64_t events = 0, dropped = 0, unmatched = 0, otherSections = 0, otherLocks = 0;
  std::uint32_t maxThreads = 0, threadsTotal = 0;

  std::vector<ProfiledSite> sites;
  std::vector<ProfiledLockClass> lockClasses;
  std::vector<ProfiledLock> locks;
  std::vector<ProfiledInstances> closedLocks;
  std::vector<ProfiledTakers> takers;
  std::vector<ProfiledThreadClass> threadClasses;
  std::vector<ProfiledSection> sections;
  std::vector<ProfiledTransition> transitions;
  std::vector<ProfiledWindow> windows;
  std::vector<ProfiledUnseen> unseen; ///< by module; known with format::runCountsUnseen
  std::vector<ProfiledCopies> copies; ///< rounds in which copies of the program ran

  /// The share of the time that was recorded. All figures are of the recorded time.
  double recordedShare() const { return slicedNs > durationNs ? durationNs / slicedNs : 1; }
  /// The share of the time in which threads could have run and waited for a processor instead.
  double runDelayShare() const {
    return runDelayNs > 0 ? runDelayNs / (onProcessorNs + runDelayNs) : 0;
  }
  /// Threads waited so long that what a long section takes by itself is not known.
  bool isDelayed() const { return runDelayShare() > 0.2; }
  /// The time that threads computed, inside sections and between them. Time in nested sections
  /// counts in each of them.
  double computedNs() const;
  /// Shortens the run as a whole, with its threads' lives and what they waited for each other: so
  /// much was taken out of what they computed, which was `ofNs` before. What is left is the same
  /// share of the run as that was.
  void shorten(double removedNs, double ofNs);
};

} // namespace qdadvise
