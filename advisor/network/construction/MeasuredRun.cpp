// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/MeasuredRun.h"

#include "advisor/profile/Names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace qdadvise {
namespace {

/// The longest stretch between two sections of these thread classes. Each of several runs has one,
/// as far as there are stretches of at least half that length. Of a run that was recorded in part
/// only its share counts, for no other stretch was longer.
double longestStretchesNs(const Profile &profile, const std::vector<bool> &scales) {
  double longestNs = 0;
  const auto forEachWay = [&](const auto &visit) {
    for (const ProfiledTransition &way : profile.transitions)
      if (scales[way.threadClass] && way.from && way.to)
        visit(way);
  };
  forEachWay(
      [&](const ProfiledTransition &way) { longestNs = std::max(longestNs, way.local.max); });
  std::uint64_t alike = 0;
  forEachWay([&](const ProfiledTransition &way) {
    for (const auto &[bucket, count] : way.localHistogram.buckets)
      if (Histogram::lowerBound(bucket) >= longestNs / 2)
        alike += count;
  });
  const std::uint64_t runs =
      std::clamp<std::uint64_t>(alike, 1, std::max<std::uint64_t>(profile.runs, 1));
  return longestNs * profile.recordedShare() * static_cast<double>(runs);
}

} // namespace

std::optional<Run> measuredRun(const Profile &profile, const std::vector<bool> &scales,
                               double outsideNs) {
  const std::vector<std::string> names = threadClassNames(profile);
  std::vector<std::string> scaling;
  double aliveNs = 0, alive = 0, mainBlockedNs = 0;
  bool mainScales = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ProfiledThreadClass &threads = profile.threadClasses[i];
    mainBlockedNs += threads.isMain ? threads.blockedNs : 0;
    if (!scales[i])
      continue;
    scaling.push_back(names[i]);
    mainScales = mainScales || threads.isMain;
    aliveNs += threads.aliveNs;
    alive += std::max(threads.maxAlive, 1u);
  }
  const double wholeNs = profile.durationNs;
  if (wholeNs <= 0 || aliveNs <= 0 || (mainScales && scaling.size() > 1))
    return std::nullopt;
  Run run;
  if (mainScales) {
    run.serialNs = std::min(outsideNs, wholeNs);
    run.serial = scaling.front() + " before and after what it repeats";
  } else {
    const double together = std::max(aliveNs / alive, std::min(mainBlockedNs, aliveNs));
    run.serialNs = wholeNs - std::min(together, wholeNs);
    run.serial = fmt::format("what main does while there is no {}", fmt::join(scaling, " or "));
    run.threads = std::max(1, static_cast<int>(std::lround(std::min(alive, aliveNs / together))));
  }
  run.parallelNs = wholeNs - run.serialNs;
  if (run.parallelNs <= 0)
    return std::nullopt;
  run.longestStretch = std::min(1.0, longestStretchesNs(profile, scales) / run.parallelNs);
  return run;
}

} // namespace qdadvise
