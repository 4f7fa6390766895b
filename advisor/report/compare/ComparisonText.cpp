// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/compare/ComparisonText.h"

#include "advisor/decide/Reasons.h"
#include "advisor/support/Format.h"

#include <algorithm>
#include <fmt/format.h>

namespace qdadvise {
namespace {

/// Mean times of two runs of one program differ by this share, whatever the number of samples.
constexpr double noise = 0.1;
/// Differences of contention rates that nobody would look at.
constexpr double leastTaken = 0.001;

std::string verdict(const std::optional<LockDecision> &decision) {
  if (!decision)
    return "nothing";
  return decision->keep ? "to keep the " + decision->today.label()
                        : "to make it " + withArticle(decision->advised.label());
}

/// What has changed at a lock, a sentence each; none where nothing has.
std::vector<std::string> changesOf(const LockComparison &lock) {
  std::vector<std::string> changes;
  if (lock.isNew)
    changes.push_back(fmt::format("new: held {}, found taken in {} of its acquisitions",
                                  formatDuration(lock.holdAfter), formatPercent(lock.takenAfter)));
  if (lock.isGone)
    changes.emplace_back("not acquired any more");
  if (lock.isNew || lock.isGone)
    return changes;
  if (lock.longer && (lock.longer->low > 1 + noise || lock.longer->high < 1 - noise)) {
    const ChangeInterval &longer = *lock.longer;
    changes.push_back(fmt::format("held {}, was {}: {} ({} to {})", formatDuration(lock.holdAfter),
                                  formatDuration(lock.holdBefore), formatFactor(longer.value),
                                  formatFactor(longer.low, longer.value),
                                  formatFactor(longer.high, longer.value)));
  }
  if (lock.taken.low > leastTaken || lock.taken.high < -leastTaken)
    changes.push_back(fmt::format("found taken in {} of its acquisitions, was {}: {:+.1f} "
                                  "percentage points ({:+.1f} to {:+.1f})",
                                  formatPercent(lock.takenAfter), formatPercent(lock.takenBefore),
                                  100 * lock.taken.value, 100 * lock.taken.low,
                                  100 * lock.taken.high));
  if (lock.verdictChanged())
    changes.push_back(
        fmt::format("the advice is {}{}, was {}", verdict(lock.after),
                    lock.after->keep
                        ? ""
                        : ", " + gainText({lock.after->speedup, lock.after->low, lock.after->high}),
                    verdict(lock.before)));
  return changes;
}

} // namespace

bool ComparisonReport::anyWorse() const {
  return std::ranges::any_of(locks, [](const LockComparison &lock) { return lock.isWorse(); });
}

std::string comparisonText(const ComparisonReport &report, const TextStyle &style) {
  const std::vector<LockComparison> &locks = report.locks;
  std::string text;
  std::vector<std::string> same;
  for (const LockComparison &lock : locks) {
    const std::vector<std::string> changes = changesOf(lock);
    if (changes.empty()) {
      same.push_back(lock.name);
      continue;
    }
    text += style.bold(lock.name) + (lock.isWorse() ? ": " + style.bad("worse") : "") + "\n";
    for (const std::string &change : changes)
      text += style.wrapped("  - " + change, 4);
  }
  if (!same.empty())
    text += style.wrapped("No change to be seen: " + someOf(same) + ".", 2);
  const auto worse = static_cast<std::uint64_t>(std::count_if(
      locks.begin(), locks.end(), [](const LockComparison &lock) { return lock.isWorse(); }));
  return text + (worse > 0 ? plural(worse, "lock") + (worse == 1 ? " is" : " are") + " worse.\n"
                           : "No lock is worse.\n");
}

} // namespace qdadvise
