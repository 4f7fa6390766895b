// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/Preemption.h"

#include "advisor/support/Format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace qdadvise {
namespace {

constexpr double timesUsual = 50;    // a section itself hardly ever takes so much longer than usual
constexpr std::uint64_t fewest = 30; // with fewer observations, it is not known what is usual
constexpr std::uint64_t many = 1000; // with fewer observations, a 99th percentile means nothing
/// The share of a thread's time that interrupts, and the host of a virtual machine, take at most
/// without the kernel counting it as a wait for a processor.
constexpr double mostUncounted = 0.2;

/// The long times of one distribution.
struct Outliers {
  Moments *moments = nullptr;
  Histogram *histogram = nullptr;
  double fromNs = 0;
  std::uint64_t count = 0;
  double sum = 0;     ///< from the middles of buckets
  double hooksNs = 0; ///< what was taken out of all times for hooks, in which threads were, too
  double restNs() const { return std::max(moments->sum() - sum, 0.0) + hooksNs; }
  double countFrom(double ns) const {
    double found = 0;
    for (const auto &[bucket, times] : histogram->buckets)
      if (Histogram::lowerBound(bucket) >= ns)
        found += static_cast<double>(times);
    return found;
  }
};

double middleOf(std::uint32_t bucket) {
  return (Histogram::lowerBound(bucket) + Histogram::lowerBound(bucket + 1)) / 2;
}

Outliers find(Moments &moments, Histogram &histogram, double hookNs) {
  Outliers found;
  found.hooksNs = static_cast<double>(moments.count) * hookNs;
  found.moments = &moments;
  found.histogram = &histogram;
  if (moments.count < fewest || histogram.buckets.empty() || moments.min > moments.max)
    return found;
  const double usual = histogram.quantile(moments.count < many ? 0.9 : 0.99);
  found.fromNs = std::max(interruptNs, timesUsual * usual);
  for (const auto &[bucket, count] : histogram.buckets) {
    if (Histogram::lowerBound(bucket) < found.fromNs)
      continue;
    found.count += count;
    found.sum += middleOf(bucket) * static_cast<double>(count);
  }
  return found;
}

/// Removes the outliers. The count stays, so that the rest looks as if it had been all. The moments
/// come from the buckets, since taking a few huge values out of a sum leaves their rounding in it.
void remove(const Outliers &outliers) {
  Moments &moments = *outliers.moments;
  const double all = static_cast<double>(moments.count);
  Moments rest;
  for (const auto &[bucket, count] : outliers.histogram->buckets) {
    if (Histogram::lowerBound(bucket) >= outliers.fromNs)
      break;
    const double value = std::clamp(middleOf(bucket), moments.min, moments.max);
    rest.merge({count, value, 0, value, value});
  }
  moments.mean = rest.mean;
  moments.m2 = rest.variance() * all;
  moments.min = rest.min;
  moments.max = rest.max;
  outliers.histogram->buckets.erase(
      std::find_if(outliers.histogram->buckets.begin(), outliers.histogram->buckets.end(),
                   [&](const auto &bucket) {
                     return Histogram::lowerBound(bucket.first) >= outliers.fromNs;
                   }),
      outliers.histogram->buckets.end());
}

/// Whether long times come as often here as elsewhere in the thread's time. It compares times that
/// are long both here and where the thread spends most of its time.
bool strikesAnywhere(const Outliers &outliers, const std::vector<Outliers> &all) {
  const auto most = std::max_element(
      all.begin(), all.end(), [](const auto &a, const auto &b) { return a.restNs() < b.restNs(); });
  const double level = std::max(outliers.fromNs, most->fromNs);
  double count = 0, restNs = 0;
  for (const Outliers &other : all)
    if (other.fromNs <= level) {
      count += other.countFrom(level);
      restNs += other.restNs();
    }
  const double expected = restNs > 0 ? count * outliers.restNs() / restNs : 0;
  return outliers.countFrom(level) <= expected + 3 * std::sqrt(expected) + 1;
}

/// Long times that strike anywhere are the program's own all the same where a thread cannot have
/// lost so much: the kernel counts how long threads waited for a processor. Where nearly all of a
/// thread's time is between the same two sections, nothing else tells jobs from preemptions. Keeps
/// what was possible; a single time may be longer than the mean allows.
void keepPossible(std::vector<Outliers> &preempted, double ofNs, const Profile &profile) {
  if (profile.onProcessorNs <= 0)
    return; // the kernel did not tell
  const double mostNs = (profile.runDelayShare() + mostUncounted) * ofNs;
  std::sort(preempted.begin(), preempted.end(),
            [](const Outliers &a, const Outliers &b) { return a.sum < b.sum; });
  double sum = 0;
  for (std::size_t i = 0; i < preempted.size(); ++i) {
    sum += preempted[i].sum;
    if (sum > mostNs && preempted[i].count > 1) {
      preempted.erase(preempted.begin() + static_cast<std::ptrdiff_t>(i), preempted.end());
      return;
    }
  }
}

/// A time that a window has, and how many observations are in it.
struct InWindow {
  double *ns = nullptr;
  double count = 0;
};

/// Takes `ns` out of windows: out of those with the longest mean, until the next one's is as long.
/// Which window a preemption was in is not recorded, but there it made the mean longer.
void removeFromLongest(std::vector<InWindow> windows, double ns) {
  if (ns <= 0)
    return;
  std::erase_if(windows, [](const InWindow &each) { return each.count <= 0; });
  const auto meanOf = [](const InWindow &each) { return *each.ns / each.count; };
  std::sort(windows.begin(), windows.end(),
            [&](const InWindow &a, const InWindow &b) { return meanOf(a) > meanOf(b); });
  double sum = 0, count = 0, level = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    sum += *windows[i].ns;
    count += windows[i].count;
    level = std::max(0.0, (sum - ns) / count);
    if (i + 1 == windows.size() || level >= meanOf(windows[i + 1]))
      break;
  }
  for (const InWindow &each : windows)
    *each.ns = std::min(*each.ns, level * each.count);
}

/// The holding times of a section, by window.
std::vector<InWindow> holdsInWindows(Profile &profile, std::size_t section) {
  std::vector<InWindow> result;
  for (ProfiledWindow &window : profile.windows)
    for (ProfiledWindow::Section &in : window.sections)
      if (in.section == section)
        result.push_back({&in.holdNs, static_cast<double>(in.acquisitions)});
  return result;
}

/// The local times of a thread class, by window: as many as it enters outermost sections.
std::vector<InWindow> localsInWindows(Profile &profile, std::size_t threadClass) {
  std::vector<InWindow> result;
  for (ProfiledWindow &window : profile.windows) {
    double count = 0;
    for (const ProfiledWindow::Section &in : window.sections)
      if (const ProfiledSection &section = profile.sections[in.section];
          section.threadClass == threadClass && !section.inside)
        count += static_cast<double>(in.acquisitions);
    for (ProfiledWindow::Threads &threads : window.threads)
      if (threads.threadClass == threadClass)
        result.push_back({&threads.localNs, count});
  }
  return result;
}

double sumOfLocals(const Profile &profile, std::size_t threadClass) {
  double sum = 0;
  for (const ProfiledTransition &transition : profile.transitions)
    if (transition.threadClass == threadClass)
      sum += transition.local.sum();
  return sum;
}

} // namespace

std::string preemptionNote(const Preemptions &removed) {
  return fmt::format("{} of over {}, {} in all, {} left out", plural(removed.observations, "time"),
                     formatDuration(interruptNs), formatDuration(removed.ns),
                     removed.observations == 1 ? "looks like an interrupt or the scheduler's and is"
                                               : "look like interrupts or the scheduler's and are");
}

Preemptions removePreemptions(Profile &profile) {
  Preemptions removed;
  const double beforeNs = profile.computedNs();
  std::vector<double> holdsNs;
  for (const ProfiledSection &section : profile.sections)
    holdsNs.push_back(section.hold.sum());
  for (std::size_t threads = 0; threads < profile.threadClasses.size(); ++threads) {
    const double localsNs = sumOfLocals(profile, threads);
    std::vector<Outliers> all;
    for (ProfiledSection &section : profile.sections)
      if (section.threadClass == threads)
        all.push_back(find(section.hold, section.holdHistogram, profile.hookNs));
    for (ProfiledTransition &transition : profile.transitions)
      if (transition.threadClass == threads && transition.from && transition.to)
        all.push_back(find(transition.local, transition.localHistogram, profile.hookNs));
    std::vector<Outliers> preempted;
    std::copy_if(all.begin(), all.end(), std::back_inserter(preempted), [&](const Outliers &each) {
      return each.count > 0 && strikesAnywhere(each, all);
    });
    double ofNs = 0;
    for (const Outliers &each : all)
      ofNs += each.sum + each.restNs();
    keepPossible(preempted, ofNs, profile);
    for (const Outliers &outliers : preempted) {
      remove(outliers);
      removed.observations += outliers.count;
      removed.ns += outliers.sum;
    }
    removeFromLongest(localsInWindows(profile, threads), localsNs - sumOfLocals(profile, threads));
  }
  for (std::size_t i = 0; i < holdsNs.size(); ++i)
    removeFromLongest(holdsInWindows(profile, i), holdsNs[i] - profile.sections[i].hold.sum());
  if (removed.observations > 0)
    profile.shorten(beforeNs - profile.computedNs(), beforeNs);
  return removed;
}

} // namespace qdadvise
