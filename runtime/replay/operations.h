// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes the events of one thread one by one, and says what they come to: which locks it waits for
// and holds, and in whose section each was taken.
//
// At every moment the time belongs to one account: waiting (an attempt is open), blocked, holding
// (the newest held section), or local computation (nothing is held). A call of a wrapper is no
// account: what it does besides taking locks is its thread's computation. So its events need no
// stamp.
#pragma once

#include "runtime/replay/expected_releases.h"
#include "runtime/replay/ledger.h"
#include "runtime/replay/wrapper_calls.h"

#include <cstdint>

namespace qdadvise::runtime {

struct Operations {
  explicit Operations(Ledger &into) : ledger(into) {}
  Operations(const Operations &) = delete;
  Operations &operator=(const Operations &) = delete;

  /// Nothing is in hand, and the thread has left a section in a window that is known.
  bool isIdle() const {
    return attempts.isEmpty() && !attempts.hasAside() && held.isEmpty() && wrappers.isIdle() &&
           !expected.any() && ledger.lastSection != format::none && !context().names &&
           ledger.accounts.barriers == 0 && (context().countersOnly || ledger.accounts.times);
  }
  /// Nothing is held and no lock waited for.
  bool isBetweenSections() const {
    return held.isEmpty() && (attempts.isEmpty() || !waitsForLock());
  }
  /// Whether the outermost open attempt is one to take a lock.
  bool waitsForLock() const { return siteOfAttempt().role == SiteRole::acquire; }
  bool isCall(const Event &event) const {
    return context().sites[siteOf(event)].role == SiteRole::wrapper;
  }

  void step(const Event &event);
  /// Moves the virtual clock to the event and puts the time on the account it belongs to.
  void advance(const Event &event);
  /// The lock at this address is no more. What is still held of it was given back where nobody saw.
  void endLock(std::uint64_t address);
  /// Nothing is in hand.
  void clear();
  /// Attempts and calls have no end; what is held stays known, but counts for nothing.
  void discardOpenState();

  const ReplayContext &context() const { return ledger.accounts.context; }

  Ledger &ledger;
  Attempts attempts;
  HeldLocks held;
  WrapperCalls wrappers{ledger, attempts, held};
  ExpectedReleases expected;
  std::uint64_t serial = 0; ///< of the event at hand
  /// What an operation gave up that may do so by another of its kind; 0 after any other event.
  std::uint64_t lastReleased = 0;
  bool wasBlocked = false; ///< until the event at hand, by what began unseen

private:
  const SiteTraits &siteOfAttempt() const { return context().sites[attempts[0].site]; }
  void apply(const Event &event, std::uint32_t site);
  void dropAbandoned(std::uint32_t stack) {
    attempts.dropAbandoned(stack);
    wrappers.dropAbandoned(stack);
  }
  void onAttempt(const Event &event, std::uint32_t site);
  void onAcquire(const Event &event, std::uint32_t site);
  void onFail(const Event &event, std::uint32_t site);
  void onRelease(const Event &event, std::uint32_t site);
  void onWait(const Event &event, std::uint32_t site);
  void onWake(const Event &event, std::uint32_t site);
  void onBlock(const Event &event, std::uint32_t site);
  void onUnblock(std::uint32_t site);
  bool reenter(const HeldLock &lock, const Attempt &attempt);
  void enter(HeldLock &lock, const Attempt &attempt, std::uint32_t site, bool isWake);
  void completeHold(unsigned at);
  /// An operation at this site was part of another one.
  void countInside(std::uint32_t site) {
    if (SiteCounts *const counts = ledger.accounts.tables.site(site))
      ++counts->inside;
  }
};

} // namespace qdadvise::runtime
