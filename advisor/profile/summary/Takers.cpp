// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Takers.h"

#include <algorithm>

namespace qdadvise {
namespace {

double shareOf(double part, double all) { return all > 0 ? part / all : 1; }

/// Adds up the rows of these thread classes; of all of them if there are none.
ProfiledTakers takersOf(const Profile &profile, std::size_t lockClass,
                        const std::vector<bool> &of = {}) {
  ProfiledTakers sum;
  for (const ProfiledTakers &some : profile.takers)
    if (some.lockClass == lockClass &&
        (of.empty() || (some.threadClass && of[*some.threadClass]))) {
      sum.threads += some.threads;
      sum.owners += some.owners;
      sum.acquisitions += some.acquisitions;
      sum.ofOwned += some.ofOwned;
      sum.heldNs += some.heldNs;
      sum.ofOwnedHeldNs += some.ofOwnedHeldNs;
    }
  return sum;
}

/// A class's traffic that is in no row of takers: closed locks that are no thread's own are in
/// none.
struct Unowned {
  std::uint64_t acquisitions = 0;
  double heldNs = 0;
};

Unowned unowned(const Profile &profile, std::size_t lockClass) {
  const ProfiledTakers known = takersOf(profile, lockClass);
  Unowned closed, all;
  for (const ProfiledInstances &some : profile.closedLocks)
    if (some.lockClass == lockClass) {
      closed.acquisitions += some.acquisitions;
      closed.heldNs += some.heldNs;
    }
  all = closed;
  for (const ProfiledLock &lock : profile.locks)
    if (lock.lockClass == lockClass) {
      all.acquisitions += lock.acquisitions;
      all.heldNs += lock.heldNs;
    }
  // A closed lock that is one thread's own is in a row, too.
  return {std::min(closed.acquisitions,
                   all.acquisitions - std::min(all.acquisitions, known.acquisitions)),
          std::min(closed.heldNs, std::max(0.0, all.heldNs - known.heldNs))};
}

/// Whether threads have locks of their own: most of them, and two if there are two.
bool haveOwn(const ProfiledTakers &takers) {
  return takers.owners >= std::min<std::uint64_t>(2, takers.threads) &&
         takers.owners > takers.threads / 2;
}

} // namespace

std::optional<double> ownedShare(const Profile &profile, std::size_t lockClass) {
  const ProfiledTakers sum = takersOf(profile, lockClass);
  if (sum.acquisitions == 0)
    return std::nullopt;
  const Unowned rest = unowned(profile, lockClass);
  return std::min(shareOf(static_cast<double>(sum.ofOwned),
                          static_cast<double>(sum.acquisitions + rest.acquisitions)),
                  shareOf(sum.ofOwnedHeldNs, sum.heldNs + rest.heldNs));
}

bool isPerThread(const Profile &profile, std::size_t lockClass, const std::vector<bool> &of) {
  constexpr double enough = 0.99;
  return haveOwn(takersOf(profile, lockClass, of)) &&
         ownedShare(profile, lockClass).value_or(0) >= enough;
}

OwnTraffic ownTraffic(const Profile &profile, std::size_t lockClass, const std::vector<bool> &of) {
  const ProfiledTakers takers = takersOf(profile, lockClass, of);
  if (takers.ofOwned == 0 || !haveOwn(takers))
    return {};
  const Unowned rest = unowned(profile, lockClass);
  const auto own = static_cast<double>(takers.ofOwned),
             all = static_cast<double>(takers.acquisitions + rest.acquisitions);
  const double sharedNs = std::max(0.0, takers.heldNs + rest.heldNs - takers.ofOwnedHeldNs);
  return {own / all, takers.ofOwnedHeldNs / own, all > own ? sharedNs / (all - own) : 0};
}

bool isOfOneThread(const Profile &profile, std::size_t lockClass) {
  bool any = false;
  for (const ProfiledTakers &some : profile.takers)
    if (some.lockClass == lockClass && some.threadClass) {
      any = true;
      if (some.threads > some.runs)
        return false;
    }
  return any;
}

} // namespace qdadvise
