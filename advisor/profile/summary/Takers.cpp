// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/Takers.h"

#include <algorithm>

namespace qdadvise {
namespace {

double shareOf(double part, double all) { return all > 0 ? part / all : 1; }

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
  std::uint64_t threads = 0, owners = 0;
  for (const ProfiledTakers &some : profile.takers)
    if (some.lockClass == lockClass && some.threadClass && of[*some.threadClass]) {
      threads += some.threads;
      owners += some.owners;
    }
  return owners >= 2 && owners > threads / 2 &&
         ownedShare(profile, lockClass).value_or(0) >= enough;
}

} // namespace qdadvise
