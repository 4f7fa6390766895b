// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of functions that may return with a lock held that they took. What a lock
// taken inside counts as is known when the call ends: if it is still held, as the
// call's section; else as its own. Until then it is provisional: counted nowhere, so
// that nothing need be undone.
//
// A section keeps the waiting time of the operation that took the lock. What a wrapper
// does besides, and it may do much, is local computation as everywhere else; only
// failed tries of the lock before it is taken are part of the waiting.
#pragma once

#include "runtime/replay/ledger.h"

#include <cstddef>
#include <cstdint>

namespace qdadvise::runtime {

class WrapperCalls {
public:
  WrapperCalls(Ledger &intoLedger, Attempts &openAttempts, HeldLocks &heldLocks)
      : ledger(intoLedger), attempts(openAttempts), held(heldLocks) {}

  /// Whether the thread is in no call, and nothing is left to be counted.
  bool isIdle() const { return (callCount | provisionalCount | tries.count) == 0; }
  bool isInCall() const { return callCount != 0; }
  bool hasFailedTries() const { return tries.count != 0; }
  /// Whether the innermost open call has been left where this event happens.
  bool isLeftBy(const Event &event) const {
    return callCount != 0 && isDeeper(calls[callCount - 1].stack, event.stack);
  }
  void clear() {
    callCount = provisionalCount = 0;
    tries.count = 0;
  }
  /// Forgets the open calls, not what is provisional.
  void forgetCalls() { callCount = 0; }

  /// An event of a wrapper, whose serial is `serial`.
  void step(const Event &event, std::uint32_t site, std::uint64_t serial);
  /// Forgets calls of frames that are gone.
  void dropAbandoned(std::uint32_t stack) {
    if (callCount != 0 && isDeeper(calls[callCount - 1].stack, stack))
      dropCalls(stack);
  }

  /// A lock was taken inside a call.
  void enter(HeldLock &lock, Acquisition &taken);
  /// An attempt of a site failed inside a call.
  void countTry(const Attempt &attempt, std::uint32_t site);
  /// Something happens to the lock that must find it counted.
  void settleLock(const HeldLock &lock);
  /// Failed tries that nothing followed were failed tries, or a wrapper's single one.
  void settleTries();
  /// Counts all that is provisional as it stands.
  void settleAll() {
    settle(provisionalCount);
    settleTries();
  }

  /// Serial of what last happened besides failed tries.
  std::uint64_t lastDone = 0;

private:
  static constexpr unsigned maxCalls = 64, maxProvisional = 16;

  struct Call {
    std::uint64_t address;
    std::uint64_t serial; ///< of its event
    std::uint32_t site;
    std::uint32_t stack;
  };

  void dropCalls(std::uint32_t stack);
  void begin(const Event &event, std::uint32_t site, std::uint64_t serial);
  unsigned find(const Event &event, std::uint32_t site) const;
  void end(const Event &event, std::uint32_t site, bool returned);
  void nameAfter(const Call &call);
  std::uint32_t siteOfCall(std::uint32_t site, std::uint64_t address) const;
  void settle(std::size_t count);
  void settleFinished();
  void commit(const Acquisition &taken);
  void waitInTries(Acquisition &taken, double acquired);
  /// The account that the thread's time goes to now.
  double accountAtHand() const {
    return !held.isEmpty() ? held.newest().own : ledger.accounts.localTicks;
  }

  Ledger &ledger;
  Attempts &attempts;
  HeldLocks &held;
  Call calls[maxCalls]; ///< none of them inside an attempt
  unsigned callCount = 0;
  Acquisition provisional[maxProvisional]; ///< of locks held, oldest first; none without calls
  unsigned provisionalCount = 0;
  FailedTries tries{};
};

} // namespace qdadvise::runtime
