// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The short cut for the commonest sections of all: a lock taken and released with nothing else in
// hand, at a site and after a section as not long ago.
#pragma once

#include "runtime/replay/operations.h"

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

/// Events between a first look at a lock's record and its use.
inline constexpr std::size_t lookAhead = 30;

class PlainSections {
public:
  /// Whether there is nothing in hand that an event might have to do with.
  static bool canRun(const Operations &operations) {
    const Ledger &ledger = operations.ledger;
    return operations.attempts.isEmpty() && operations.held.isEmpty() &&
           !operations.wrappers.hasFailedTries() && !operations.expected.any() &&
           ledger.accounts.barriers == 0 && ledger.lastSection != format::none &&
           (ledger.accounts.context.countersOnly || ledger.accounts.times);
  }
  /// Where canRun(): does with the sections that begin here one after another what as many steps
  /// do, as long as each is as it was not long ago, and ends before the stamp `bound`. Returns how
  /// many events they are.
  std::size_t run(Operations &operations, const Event *events, std::size_t count,
                  std::uint64_t bound, bool manyLocks);
  void forget() { *this = {}; }

private:
  /// What a section of a site counts as after another one.
  struct Route {
    std::uint32_t attempt = format::none; ///< packEvent's; none: nothing is known
    std::uint32_t from = format::none;    ///< the section before it
    std::uint32_t index = format::none;   ///< its own
    std::uint32_t lockClass = format::none;
    LockKind kind = LockKind::unknown;
    bool shared = false;
    Section *section = nullptr;
    Transition *transition = nullptr;
    SiteCounts *counts = nullptr;
  };

  static bool find(Ledger &ledger, const Event &attempt, std::uint32_t lockClass, Route &found);
  static Lock *lockOf(Tables &tables, const Route &route, std::uint64_t address);
  static void count(Ledger &ledger, const Route &route, Lock &lock, const Event &attempt,
                    const Event &acquire, const Event &release);

  static constexpr unsigned routeCount = 16;
  Route routes[routeCount]; ///< by site, as last taken
};

} // namespace qdadvise::runtime
