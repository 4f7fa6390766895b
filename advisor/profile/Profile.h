// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile in memory: what one or more runs measured. Indices refer to the
// vectors beside them; times are nanoseconds.
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

/// An address in code, as a symbolizer takes it.
struct CodeAddress {
  std::string module; ///< path of the executable or shared object
  std::uint64_t offset = 0;

  auto operator<=>(const CodeAddress &) const = default;
};

/// A frame of a call path: what a symbolizer made of an address, or the address still.
struct CallFrame {
  CodeAddress address; ///< of no module where it is not needed any more
  std::string function, file;
  std::uint32_t line = 0;
  bool own = false; ///< the site's own function, for what that may be inlined into

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
  /// Where the call returns to that took the lock, where `file` and `line` are those of the
  /// function it called.
  std::optional<CodeAddress> caller;
  /// The callers by way of whom it was reached, the innermost first, of a site that was told apart
  /// by them; CallPaths.h makes one of all those that differ in this only.
  std::vector<CallFrame> path;
};

/// How readers share locks; all zero where there were none.
struct ProfiledReaders {
  std::uint32_t most = 0; ///< at once, in one of the locks
  double heldNs = 0;      ///< summed over readers; part of the locks' heldNs
  Moments busy;           ///< periods from the first reader of a lock in to the last one out

  void merge(const ProfiledReaders &other);
};

struct ProfiledLockClass {
  std::string name, type, declFile;
  std::uint32_t declLine = 0, declColumn = 0;
  std::uint32_t kind = 0; ///< LockKind
  ProfiledReaders readers;
  std::uint32_t closedRuns =
      0; ///< merged runs with closed locks of the class; 0 if none was merged
};

struct ProfiledLock {
  std::size_t lockClass = 0;
  std::uint64_t address = 0; ///< 0: all locks of the class beyond max_locks
  std::uint64_t acquisitions = 0, contended = 0;
  double heldNs = 0, waitNs = 0;
};

/// Locks of a class that have come and gone, with 2^bucket to 2^(bucket + 1) - 1 acquisitions.
struct ProfiledInstances {
  std::size_t lockClass = 0;
  std::uint32_t bucket = 0;
  std::uint64_t instances = 0, acquisitions = 0, contended = 0;
  double heldNs = 0, waitNs = 0;
};

/// Threads of a class that take locks of a class, of runs in which two or more of some class did;
/// over all these runs. A lock that others than one thread take no more than once in
/// format::ownedOf is that thread's own.
struct ProfiledTakers {
  std::size_t lockClass = 0;
  std::optional<std::size_t> threadClass; ///< absent: of several, one after the other
  std::uint64_t threads = 0;
  std::uint64_t owners = 0; ///< of these, that have locks of their own
  std::uint64_t acquisitions = 0;
  std::uint64_t ofOwned = 0; ///< of these, of locks that are any thread's own
  double heldNs = 0, ofOwnedHeldNs = 0;
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
  /// Of the contended ones, those that found a writer inside.
  std::uint64_t contendedByWriter = 0;
  Moments waitByWriter;
  Histogram holdHistogram, waitHistogram;
  std::optional<SectionMemory> memory; ///< absent: not traced
};

struct ProfiledTransition {
  std::size_t threadClass = 0;
  std::optional<std::size_t> from, to; ///< absent: before the first, after the last section
  Moments local, blocked;
  Histogram localHistogram;
};

struct ProfiledWindow {
  double startNs = 0, durationNs = 0; ///< from the beginning of the (first) run
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
  std::uint64_t runs = 1; ///< that it is of; 0: of several, merged before that was told
  double durationNs = 0, ticksPerNs = 0, timerNs = 0, hookNs = 0;
  double slicedNs = 0; ///< of which durationNs was recorded, in slices; 0: all of it was
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

  /// Share of the time in which it was recorded; all figures are of that time.
  double recordedShare() const { return slicedNs > durationNs ? durationNs / slicedNs : 1; }
};

} // namespace qdadvise
