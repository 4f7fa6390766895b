// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/Instances.h"

#include <algorithm>
#include <functional>

namespace qdadvise {

namespace {

/// How much less than its busiest member a group's least busy one may have, relatively (NET7). Time
/// at a lock grows like 1/(1 - U), and U is at most the share over the largest share. The closer it
/// is to that, the closer the members must be. The error of their mean goes with the square of
/// this.
double tolerance(double share, double largest) {
  return std::max(1e-12, std::min(0.2, 0.25 * (1 - share / largest)));
}

} // namespace

std::vector<InstanceGroup> groupsOf(const Lock &lock) {
  if (lock.perThread)
    return {{}};
  std::vector<InstanceGroup> shares;
  double rest = 1;
  for (const double share : lock.shares) {
    shares.push_back({share, 1});
    rest -= share;
  }
  const double others = lock.instances - static_cast<double>(lock.shares.size());
  if (others > 0)
    shares.push_back({std::max(0.0, rest) / others, others});
  std::sort(shares.begin(), shares.end(),
            [](const InstanceGroup &a, const InstanceGroup &b) { return a.share > b.share; });
  std::vector<InstanceGroup> groups;
  double least = 0; // share that may still join the last group
  for (const InstanceGroup &one : shares) {
    if (one.share <= 0)
      break;
    if (!groups.empty() && one.share >= least) {
      InstanceGroup &group = groups.back();
      const double traffic = group.share * group.count + one.share * one.count;
      group.count += one.count;
      group.share = traffic / group.count;
      continue;
    }
    groups.push_back(one);
    least = one.share * (1 - tolerance(one.share, shares.front().share));
  }
  return groups;
}

double chanceOfSame(const Lock &lock) {
  constexpr double nextToNone = 1e-6;
  if (lock.perThread)
    return nextToNone;
  const double others = lock.instances - static_cast<double>(lock.shares.size());
  double chance = 0, rest = 1;
  for (const double share : lock.shares) {
    chance += share * share;
    rest -= share;
  }
  return others > 0 ? chance + std::max(0.0, rest) * rest / others : chance;
}

} // namespace qdadvise
