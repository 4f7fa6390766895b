// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/decide/ThreadFindings.h"

#include "advisor/decide/LoadBalance.h"
#include "advisor/support/Format.h"
#include "runtime/abi/profile_format.h"

#include <algorithm>
#include <fmt/format.h>

namespace qdadvise {
namespace {

/// What the threads of a class do with their time, summed over them.
struct ClassTime {
  std::size_t index; ///< of the class
  std::uint32_t threads;
  double computingNs, waitingNs;

  double each() const { return computingNs / threads; }
  double waitingShare() const { return waitingNs / (computingNs + waitingNs); }
};

/// The times of each thread class but the main thread, which only starts the others and waits.
std::vector<ClassTime> timesOf(const Profile &profile) {
  std::vector<double> lockWaits(profile.threadClasses.size(), 0);
  for (const ProfiledSection &section : profile.sections)
    lockWaits[section.threadClass] += section.wait.sum();
  std::vector<ClassTime> times;
  for (std::size_t i = 0; i < profile.threadClasses.size(); ++i) {
    const ProfiledThreadClass &one = profile.threadClasses[i];
    const double waitingNs = std::min(one.blockedNs + lockWaits[i], one.aliveNs);
    if (!one.isMain && one.maxAlive > 0 && one.aliveNs > 0)
      times.push_back({i, one.maxAlive, one.aliveNs - waitingNs, waitingNs});
  }
  return times;
}

/// The least share of the most loaded thread's work that another assignment of threads has to save
/// to be worth a finding.
constexpr double leastSaving = 0.01;

} // namespace

void findImbalance(FindingSearch &search) {
  const std::vector<ClassTime> times = timesOf(search.profile);
  if (times.size() < 2 || search.profile.flags & format::runCountersOnly)
    return;
  const auto [least, most] =
      std::minmax_element(times.begin(), times.end(), [](const ClassTime &a, const ClassTime &b) {
        return a.each() < b.each();
      });
  const auto idle =
      std::max_element(times.begin(), times.end(), [](const ClassTime &a, const ClassTime &b) {
        return a.waitingShare() < b.waitingShare();
      });
  // Threads that all compute all the time have nothing to give to each other, and those that
  // hardly compute need no more of them.
  if (most->each() * (1 - search.thresholds.imbalance) <= least->each() ||
      idle->waitingShare() <= search.thresholds.imbalance || idle == most ||
      1 - most->waitingShare() < search.thresholds.imbalance)
    return;
  std::vector<double> load; // in units of what the most loaded thread has
  std::uint32_t threads = 0;
  for (const ClassTime &one : times) {
    load.push_back(one.each() / most->each() * one.threads);
    threads += one.threads;
  }
  const ThreadAssignment assignment = assignThreads(load, threads);
  const double saved = 1 - bottleneck(load, assignment.best);
  if (saved < leastSaving)
    return;
  Finding finding = startFinding(unevenLoad);
  finding.lost = saved;
  finding.message = fmt::format(
      "threads of {} compute {} of their time, those of {} wait {} of theirs; with the best "
      "assignment the most loaded threads have {} less to do",
      search.threadNames[most->index], formatPercent(1 - most->waitingShare()),
      search.threadNames[idle->index], formatPercent(idle->waitingShare()), formatPercent(saved));
  finding.numbers = {{"threads", threads},
                     {"least_computation_ns", least->each()},
                     {"most_computation_ns", most->each()},
                     {"most_waiting_share", idle->waitingShare()},
                     {"saved_share", saved}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const ProfiledThreadClass &one = search.profile.threadClasses[times[i].index];
    if (!one.file.empty())
      finding.places.push_back(formatPlace(one.file, one.line));
    finding.threads.push_back({search.threadNames[times[i].index], times[i].threads,
                               1 - times[i].waitingShare(), times[i].waitingShare(),
                               assignment.exact[i], assignment.best[i]});
  }
  search.found.push_back(std::move(finding));
}

} // namespace qdadvise
