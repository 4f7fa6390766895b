// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/Traffic.h"

#include "advisor/profile/summary/ClosedLocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace qdadvise {
namespace {

constexpr std::size_t mostInstances = 100'000;

/// Divides ascending counts into groups whose differences chance explains, and returns the sizes of
/// the groups. Chance is Poisson noise around the mean of the group, with room for the extremes of
/// that many draws.
std::vector<std::size_t> groupSizes(const std::vector<std::uint64_t> &ascending) {
  const double draws = static_cast<double>(ascending.size());
  const double sigmas = 2 + std::sqrt(2 * std::log(draws));
  std::vector<std::size_t> sizes;
  double sum = 0;
  for (const std::uint64_t count : ascending) {
    const double value = static_cast<double>(count);
    const double mean = sizes.empty() ? 0 : sum / static_cast<double>(sizes.back());
    if (sizes.empty() || value - mean > sigmas * std::sqrt(mean + 1)) {
      sizes.push_back(0);
      sum = 0;
    }
    ++sizes.back();
    sum += value;
  }
  return sizes;
}

/// The shares from the counts of acquisitions alone.
TrafficShares trafficShares(std::vector<std::uint64_t> acquisitions) {
  std::erase(acquisitions, 0u);
  std::sort(acquisitions.begin(), acquisitions.end());
  TrafficShares traffic;
  if (acquisitions.empty())
    return traffic;
  traffic.instances = static_cast<std::uint32_t>(acquisitions.size());
  const double total = std::accumulate(acquisitions.begin(), acquisitions.end(), 0.0);
  const std::vector<std::size_t> groups = groupSizes(acquisitions);
  std::size_t end = acquisitions.size();
  // The busiest come first. `shares` leaves out the group of the least busy.
  for (std::size_t group = groups.size(); group-- > 1;) {
    const std::size_t begin = end - groups[group];
    const auto at = [&](std::size_t i) {
      return acquisitions.begin() + static_cast<std::ptrdiff_t>(i);
    };
    const double sum = std::accumulate(at(begin), at(end), 0.0);
    traffic.shares.insert(traffic.shares.end(), groups[group],
                          sum / total / static_cast<double>(groups[group]));
    end = begin;
  }
  return traffic;
}

} // namespace

TrafficShares trafficShares(const Profile &profile, std::size_t lockClass) {
  std::vector<std::uint64_t> acquisitions;
  std::uint64_t rest = 0;
  for (const ProfiledLock &lock : profile.locks) {
    if (lock.lockClass != lockClass)
      continue;
    if (lock.address != 0)
      acquisitions.push_back(lock.acquisitions);
    else
      rest += lock.acquisitions;
  }
  // Closed locks of one bucket count as alike. Where there are more than a network can use, each
  // stands for several.
  const std::vector<ProfiledInstances> closed = closedLocksOfARun(profile);
  std::uint64_t past = 0;
  for (const ProfiledInstances &some : closed)
    past += some.lockClass == lockClass ? some.instances : 0;
  const std::uint64_t standsFor = past / mostInstances + 1;
  for (const ProfiledInstances &some : closed)
    if (some.lockClass == lockClass)
      acquisitions.insert(acquisitions.end(), (some.instances + standsFor - 1) / standsFor,
                          some.acquisitions / some.instances);
  bool guessed = false;
  if (rest > 0) {
    // They are taken for as busy as the mean of the locks that were told apart.
    const std::uint64_t known =
        std::accumulate(acquisitions.begin(), acquisitions.end(), std::uint64_t{0});
    const std::uint64_t each = acquisitions.empty() ? rest : known / acquisitions.size();
    const std::uint64_t more =
        std::clamp<std::uint64_t>(rest / std::max<std::uint64_t>(each, 1), 1, mostInstances);
    acquisitions.insert(acquisitions.end(), more, std::max<std::uint64_t>(rest / more, 1));
    guessed = true;
  }
  TrafficShares traffic = trafficShares(std::move(acquisitions));
  if (standsFor > 1 && traffic.shares.empty())
    traffic.instances = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(past + traffic.instances, mostInstances * 1000));
  traffic.guessed = guessed;
  return traffic;
}

} // namespace qdadvise
