// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Takers.h"

#include <algorithm>

namespace qdadvise {
namespace {

double shareOf(double part, double all) { return all > 0 ? part / all : 1; }

/// Of these thread classes together.
struct Takers {
  std::uint64_t threads = 0, owners = 0, acquisitions = 0, ofOwned = 0;
};

Takers takersOf(const Profile &profile, std::size_t lockClass, const std::vector<bool> &of) {
  Takers sum;
  for (const ProfiledTakers &some : profile.takers)
    if (some.lockClass == lockClass && some.threadClass && of[*some.threadClass]) {
      sum.threads += some.threads;
      sum.owners += some.owners;
      sum.acquisitions += some.acquisitions;
      sum.ofOwned += some.ofOwned;
    }
  return sum;
}

} // namespace

std::optional<double> ownedShare(const Profile &profile, std::size_t lockClass) {
  ProfiledTakers sum;
  for (const ProfiledTakers &some : profile.takers)
    if (some.lockClass == lockClass) {
      sum.acquisitions += some.acquisitions;
      sum.ofOwned += some.ofOwned;
      sum.heldNs += some.heldNs;
      sum.ofOwnedHeldNs += some.ofOwnedHeldNs;
    }
  if (sum.acquisitions == 0)
    return std::nullopt;
  for (const ProfiledInstances &closed : profile.closedLocks)
    if (closed.lockClass == lockClass) {
      sum.acquisitions += closed.acquisitions;
      sum.heldNs += closed.heldNs;
    }
  return std::min(shareOf(static_cast<double>(sum.ofOwned), static_cast<double>(sum.acquisitions)),
                  shareOf(sum.ofOwnedHeldNs, sum.heldNs));
}

bool isPerThread(const Profile &profile, std::size_t lockClass, const std::vector<bool> &of) {
  constexpr double enough = 0.99;
  const Takers takers = takersOf(profile, lockClass, of);
  return takers.owners >= 2 && takers.owners > takers.threads / 2 &&
         ownedShare(profile, lockClass).value_or(0) >= enough;
}

double ownShare(const Profile &profile, std::size_t lockClass, const std::vector<bool> &of) {
  const Takers takers = takersOf(profile, lockClass, of);
  return takers.owners >= 2 ? shareOf(static_cast<double>(takers.ofOwned),
                                      static_cast<double>(takers.acquisitions))
                            : 0;
}

} // namespace qdadvise
