// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/summary/ClosedLocks.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace qdadvise {
namespace {

void add(ProfiledInstances &sum, const ProfiledInstances &more) {
  sum.instances += more.instances;
  sum.acquisitions += more.acquisitions;
  sum.contended += more.contended;
  sum.heldNs += more.heldNs;
  sum.waitNs += more.waitNs;
}

void setBucket(ProfiledInstances &some) {
  some.bucket = static_cast<std::uint32_t>(std::bit_width(some.acquisitions / some.instances) - 1);
}

bool isLessBusy(const ProfiledInstances &a, const ProfiledInstances &b) {
  return std::tie(a.lockClass, a.bucket) < std::tie(b.lockClass, b.bucket);
}

} // namespace

std::vector<ProfiledInstances> closedLocksOfARun(const Profile &profile) {
  std::vector<ProfiledInstances> all = profile.closedLocks;
  std::sort(all.begin(), all.end(), isLessBusy);
  std::vector<ProfiledInstances> result;
  for (auto some = all.begin(); some != all.end();) {
    const std::size_t lockClass = some->lockClass;
    const std::uint64_t runs = std::max(profile.lockClasses[lockClass].closedRuns, 1u);
    // Running counts are rounded, so that the sum is right. The last one is rounded up.
    std::uint64_t counted = 0, told = 0;
    ProfiledInstances waiting{lockClass, 0, 0, 0, 0, 0, 0};
    for (; some != all.end() && some->lockClass == lockClass; ++some) {
      add(waiting, *some);
      counted += some->instances;
      const bool isLast = some + 1 == all.end() || (some + 1)->lockClass != lockClass;
      const std::uint64_t due = (counted + (isLast ? runs - 1 : runs / 2)) / runs;
      if (due == told)
        continue;
      waiting.instances = due - std::exchange(told, due);
      setBucket(waiting);
      result.push_back(std::exchange(waiting, {lockClass, 0, 0, 0, 0, 0, 0}));
    }
    if (waiting.acquisitions > 0) {
      waiting.instances = 0;
      add(result.back(), waiting);
      setBucket(result.back());
    }
  }
  return result;
}

} // namespace qdadvise
