// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/compare/Comparison.h"

#include "advisor/profile/summary/Summary.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace qdadvise {
namespace {

constexpr double deviations = 1.96; ///< of a 95 % interval

double relativeVariance(const Moments &moments) {
  return moments.count > 0 ? moments.cv() * moments.cv() / static_cast<double>(moments.count) : 0;
}

/// The ratio of two means; its logarithm is nearly normal.
std::optional<ChangeInterval> ratioOf(const Moments &before, const Moments &after) {
  if (before.mean <= 0 || after.mean <= 0)
    return std::nullopt;
  const double ratio = after.mean / before.mean;
  const double width =
      std::exp(deviations * std::sqrt(relativeVariance(before) + relativeVariance(after)));
  return ChangeInterval{ratio, ratio / width, ratio * width};
}

/// The difference of two shares. A success and a failure are added to each (Agresti and Caffo
/// 2000), so that none of a few is not taken for never.
ChangeInterval differenceOf(const Measured &before, const Measured &after) {
  const auto shareOf = [](const Measured &of) {
    const double count = static_cast<double>(of.acquisitions) + 2;
    const double share = (static_cast<double>(of.contended) + 1) / count;
    return std::pair(share, share * (1 - share) / count);
  };
  const auto [shareBefore, varianceBefore] = shareOf(before);
  const auto [shareAfter, varianceAfter] = shareOf(after);
  const double difference = shareAfter - shareBefore;
  const double width = deviations * std::sqrt(varianceBefore + varianceAfter);
  return {after.contentionRate() - before.contentionRate(), difference - width, difference + width};
}

bool hasTimes(const Profile &profile) { return (profile.flags & format::runCountersOnly) == 0; }

std::optional<LockDecision> decisionOn(const ComparedRun &run, const std::string &name) {
  for (const LockDecision &decision : run.decisions.locks)
    if (run.network.locks[decision.lock].name == name)
      return decision;
  return std::nullopt;
}

} // namespace

bool LockComparison::verdictChanged() const {
  return before && after && before->advised != after->advised;
}

std::vector<LockComparison> compareRuns(const ComparedRun &before, const ComparedRun &after,
                                        const ComparisonThresholds &thresholds) {
  const ProfileSummary sumBefore = summarize(before.profile), sumAfter = summarize(after.profile);
  std::map<std::string, std::pair<const LockSummary *, const LockSummary *>> locks;
  for (const LockSummary &lock : sumBefore.locks)
    locks[lock.name].first = &lock;
  for (const LockSummary &lock : sumAfter.locks)
    locks[lock.name].second = &lock;
  const bool timed = hasTimes(before.profile) && hasTimes(after.profile);
  const bool isSlower = after.decisions.today.throughputPerS <
                        (1 - thresholds.throughput) * before.decisions.today.throughputPerS;
  const Measured none;
  std::vector<LockComparison> result;
  for (const auto &[name, pair] : locks) {
    const Measured &old = pair.first ? pair.first->measured : none;
    const Measured &now = pair.second ? pair.second->measured : none;
    LockComparison &lock = result.emplace_back();
    lock.name = name;
    lock.isNew = !pair.first;
    lock.isGone = !pair.second;
    lock.share = sumAfter.awakeNs > 0 ? now.heldNs / sumAfter.awakeNs : 0;
    lock.holdBefore = old.hold.mean;
    lock.holdAfter = now.hold.mean;
    if (timed)
      lock.longer = ratioOf(old.hold, now.hold);
    lock.takenBefore = old.contentionRate();
    lock.takenAfter = now.contentionRate();
    lock.taken = differenceOf(old, now);
    lock.before = decisionOn(before, name);
    lock.after = decisionOn(after, name);
    const bool matters = !timed || lock.share >= thresholds.share;
    lock.isLonger = matters && lock.longer && lock.longer->low > 1 + thresholds.longer;
    lock.isContended = !lock.isGone && matters && lock.taken.low > thresholds.contention;
    const bool couldStay = !lock.before || lock.before->keep;
    lock.needsChange = couldStay && (lock.isNew || isSlower) && lock.after && !lock.after->keep &&
                       lock.after->low > 1;
  }
  std::sort(result.begin(), result.end(), [](const LockComparison &a, const LockComparison &b) {
    return std::tuple(b.isWorse(), b.share, a.name) < std::tuple(a.isWorse(), a.share, b.name);
  });
  return result;
}

} // namespace qdadvise
