// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/merge/RepeatedRuns.h"

#include "advisor/profile/Identity.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace qdadvise {
namespace {

constexpr double longer = 0.15, longerNs = 2;
/// The share of its time from which on what is left out of a run shows in its windows.
constexpr double showsInWindows = 0.05;

/// Numbers of what is the same in all runs.
template <typename Key> class Numbers {
public:
  std::size_t of(const Key &key) { return numbers.try_emplace(key, numbers.size()).first->second; }

private:
  std::map<Key, std::size_t> numbers;
};

template <typename... Fields> std::tuple<Fields...> copyOf(std::tuple<const Fields &...> fields) {
  return fields;
}
template <typename Member> using KeyOf = decltype(copyOf(identity(std::declval<const Member &>())));

using OptionalIndex = std::optional<std::size_t>;

class Matching {
public:
  std::size_t section(const Profile &run, std::size_t index) {
    const ProfiledSection &section = run.sections[index];
    const OptionalIndex inside =
        section.inside ? OptionalIndex(this->section(run, *section.inside)) : std::nullopt;
    return sections.of({threads(run, section.threadClass),
                        sites.of(copyOf(identity(run.sites[section.site]))),
                        lockClasses.of(copyOf(identity(run.lockClasses[section.lockClass]))),
                        inside, section.shared, section.other});
  }
  std::size_t transition(const Profile &run, const ProfiledTransition &transition) {
    const auto end = [&](const OptionalIndex &at) {
      return at ? OptionalIndex(section(run, *at)) : std::nullopt;
    };
    return transitions.of(
        {threads(run, transition.threadClass), end(transition.from), end(transition.to)});
  }

private:
  std::size_t threads(const Profile &run, std::size_t index) {
    return threadClasses.of(copyOf(identity(run.threadClasses[index])));
  }

  Numbers<KeyOf<ProfiledSite>> sites;
  Numbers<KeyOf<ProfiledLockClass>> lockClasses;
  Numbers<KeyOf<ProfiledThreadClass>> threadClasses;
  Numbers<std::tuple<std::size_t, std::size_t, std::size_t, OptionalIndex, bool, bool>> sections;
  Numbers<std::tuple<std::size_t, OptionalIndex, OptionalIndex>> transitions;
};

/// The times of one thing in the runs that have it.
template <typename Member> struct Times {
  struct Of {
    std::size_t run;
    Member *member;
    double meanNs;
  };
  std::vector<Of> runs;

  /// The run in the middle of those whose threads did not wait for processors, if there are some.
  Of median(const std::vector<bool> &delayed) const {
    std::vector<Of> usual;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(usual),
                 [&](const Of &each) { return !delayed[each.run]; });
    if (usual.empty())
      usual = runs;
    std::sort(usual.begin(), usual.end(), [](const Of &a, const Of &b) {
      return std::tie(a.meanNs, a.run) < std::tie(b.meanNs, b.run);
    });
    return usual[(usual.size() - 1) / 2];
  }
};

/// The runs whose threads waited for processors while those of others did not.
std::vector<bool> delayedRuns(const std::vector<Profile> &runs) {
  std::vector<bool> delayed;
  std::transform(runs.begin(), runs.end(), std::back_inserter(delayed),
                 [](const Profile &run) { return run.isDelayed(); });
  if (std::find(delayed.begin(), delayed.end(), false) == delayed.end())
    delayed.assign(runs.size(), false);
  return delayed;
}

bool isLonger(double ns, double thanNs) { return ns > thanNs * (1 + longer) + longerNs; }

} // namespace

bool areRepeated(const std::vector<Profile> &runs) {
  if (runs.size() < 2)
    return false;
  std::vector<std::pair<double, double>> spans; // begin and end
  for (const Profile &run : runs) {
    const double begin = static_cast<double>(run.startUnixNs);
    spans.emplace_back(begin, begin + std::max(run.durationNs, run.slicedNs));
    if ((run.flags & format::runCountersOnly) != 0 || run.command != runs.front().command ||
        run.program != runs.front().program || run.runs != 1)
      return false;
  }
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].first < spans[i - 1].second)
      return false;
  return true;
}

std::size_t removeDisturbances(std::vector<Profile> &runs) {
  Matching matching;
  std::map<std::size_t, Times<ProfiledSection>> sections;
  std::map<std::size_t, Times<ProfiledTransition>> transitions;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (std::size_t i = 0; i < runs[run].sections.size(); ++i)
      if (ProfiledSection &section = runs[run].sections[i]; section.hold.count > 0)
        sections[matching.section(runs[run], i)].runs.push_back({run, &section, section.hold.mean});
    for (ProfiledTransition &transition : runs[run].transitions)
      if (transition.local.count > 0)
        transitions[matching.transition(runs[run], transition)].runs.push_back(
            {run, &transition, transition.local.mean});
  }
  const std::vector<bool> delayed = delayedRuns(runs);
  std::vector<double> removedNs(runs.size(), 0), beforeNs;
  std::transform(runs.begin(), runs.end(), std::back_inserter(beforeNs),
                 [](const Profile &run) { return run.computedNs(); });
  const auto noteRemoved = [&](std::size_t run, double ns, std::uint64_t times) {
    removedNs[run] += ns * static_cast<double>(times);
  };
  for (auto &[number, times] : sections) {
    const double usualNs = times.median(delayed).meanNs;
    for (const auto &each : times.runs)
      if (isLonger(each.meanNs, usualNs)) {
        noteRemoved(each.run, each.meanNs - usualNs, each.member->acquisitions);
        each.member->hold = {};
        each.member->holdHistogram = {};
      }
  }
  for (auto &[number, times] : transitions) {
    const auto usual = times.median(delayed);
    for (const auto &each : times.runs)
      if (isLonger(each.meanNs, usual.meanNs)) {
        const Moments &local = usual.member->local;
        const std::uint64_t count = each.member->local.count;
        noteRemoved(each.run, each.meanNs - usual.meanNs, count);
        each.member->local = {count, local.mean, local.variance() * static_cast<double>(count),
                              local.min, local.max};
        each.member->localHistogram = usual.member->localHistogram;
      }
  }
  Profile others; // that were not delayed
  for (std::size_t run = 0; run < runs.size(); ++run)
    if (!delayed[run]) {
      others.onProcessorNs += runs[run].onProcessorNs;
      others.runDelayNs += runs[run].runDelayNs;
    }
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (removedNs[run] > showsInWindows * beforeNs[run])
      runs[run].windows.clear();
    if (removedNs[run] > 0)
      runs[run].shorten(removedNs[run], beforeNs[run]);
    if (!delayed[run])
      continue;
    // What is left is as in the others.
    const double wantedNs = runs[run].onProcessorNs + runs[run].runDelayNs;
    runs[run].runDelayNs = wantedNs * others.runDelayShare();
    runs[run].onProcessorNs = wantedNs - runs[run].runDelayNs;
  }
  return static_cast<std::size_t>(
      std::count_if(removedNs.begin(), removedNs.end(), [](double ns) { return ns > 0; }));
}

} // namespace qdadvise
