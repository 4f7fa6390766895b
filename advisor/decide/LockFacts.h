// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the code asks of a lock beyond speed: what an algorithm cannot do at all, and what it can
// only do after the code is changed.
#pragma once

#include "advisor/network/Network.h"
#include "runtime/abi/lock_algorithms.h"

#include <optional>
#include <string>
#include <vector>

namespace qdadvise {

/// A requirement of the code on a lock, and where it is.
struct Hindrance {
  enum class Kind {
    conditionWait, ///< a thread gives the lock up and sleeps until it is notified
    anyLockWait,   ///< the same, with a condition variable that takes any type of lock
    recursive,     ///< its owner may take it again
    timed,         ///< a thread gives up after a while
    innerLock,     ///< another lock is taken inside
    section,       ///< something else that happens inside: `fact`
  };
  Kind kind = Kind::timed;
  std::string where;      ///< `in 'f(int)' (a.cc:42)`
  std::string inner;      ///< the other lock's name
  std::uint64_t fact = 0; ///< SectionFact
  bool shared = false;    ///< it is a reader's section
};

struct LockFacts {
  bool modelled = true;   ///< today's algorithm is in the table
  bool assumed = false;   ///< no known lock was seen: today's algorithm is a guess
  bool nested = false;    ///< taken inside another lock's section
  bool isRead = false;    ///< some of its sections are shared
  bool perThread = false; ///< each thread has one of its own
  std::vector<Hindrance> hindrances;
  /// Every section that ran is one update of one integer.
  bool isOneInteger = false;
  std::uint64_t samples = 0; ///< holding times that were recorded; 0: not known how many
  std::vector<std::string> neverRan, neverTimed; ///< places
  bool delayed = false;         ///< threads may have waited for a processor with the lock held
  std::optional<double> holdNs; ///< mean of those that are not shared; none where there are none

  /// So few that they may not show the spread of times, which the interval of a gain needs.
  bool isLittleKnown() const { return (samples > 0 || !neverTimed.empty()) && samples < 20; }
};

/// The facts of each lock of the network.
std::vector<LockFacts> lockFacts(const Network &network);

/// Why `algorithm` cannot replace the lock as the code stands, or "".
std::string refusal(const LockFacts &facts, const LockAlgorithm &algorithm);
/// What has to be done at which section before `algorithm` can replace the lock.
std::vector<std::string> obstaclesTo(const LockFacts &facts, const LockAlgorithm &algorithm);

} // namespace qdadvise
