// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of one made-up program, for tests and benchmarks of merging: each met most of its critical
// sections, and no two in the same order.
#pragma once

#include "advisor/profile/Profile.h"
#include "runtime/abi/memory_entry.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>

namespace qdadvise::testing {

class RandomProfiles {
public:
  struct Size {
    std::size_t sites, lockClasses, threadClasses, sections, transitions, buckets, windows;
  };

  RandomProfiles(const Size &size, std::uint64_t seed) : size(size), random(seed) {}

  Profile next() {
    Profile profile;
    profile.program = "program";
    profile.host = "host" + std::to_string(below(3));
    profile.flags = below(2) ? 4 : 5;
    profile.pid = below(4);
    profile.startUnixNs = 1'790'000'000'000'000'000 + below(1'000'000'000'000);
    profile.durationNs = time(1e10);
    if (random() % 2 != 0)
      profile.slicedNs = 10 * profile.durationNs;
    profile.onProcessorNs = time(1e10);
    profile.runDelayNs = time(1e10);
    profile.ticksPerNs = 1 + time(2);
    profile.timerNs = time(30);
    profile.hookNs = time(80);
    profile.events = below(1'000'000);
    profile.dropped = below(5);
    profile.maxThreads = static_cast<std::uint32_t>(below(9));
    profile.threadsTotal = profile.maxThreads;
    addSources(profile);
    addLocks(profile);
    addSections(profile);
    addWindows(profile);
    for (std::uint64_t i = below(4); i > 0; --i)
      profile.copies.push_back({below(2) ? "one" : "other", 4,
                                static_cast<std::uint32_t>(2 + below(3)), time(1e10), time(1e10)});
    return profile;
  }

private:
  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random);
  }
  /// From a nanosecond's part to `most`, of every size alike.
  double time(double most) {
    return most * std::pow(10.0, -std::uniform_real_distribution<double>(0, 6)(random));
  }
  template <typename Member> std::size_t any(const std::vector<Member> &members) {
    return static_cast<std::size_t>(below(members.size()));
  }
  std::vector<std::size_t> shuffled(std::size_t count) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), random);
    return numbers;
  }
  static std::vector<std::size_t> inverse(const std::vector<std::size_t> &order) {
    std::vector<std::size_t> places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      places[order[i]] = i;
    return places;
  }

  Moments moments(std::uint64_t count, double most) {
    Moments result;
    if (count == 0)
      return result;
    const double mean = time(most);
    const double deviation = count > 1 ? time(2 * mean) : 0;
    return {count, mean, deviation * deviation * static_cast<double>(count), mean / 2,
            mean + deviation};
  }
  Histogram histogram() {
    Histogram result;
    const std::uint64_t first = below(100);
    for (std::size_t i = 0; i < size.buckets; ++i)
      result.buckets[static_cast<std::uint32_t>(first + i)] += 1 + below(50);
    return result;
  }

  SectionMemory memory() {
    SectionMemory result;
    result.executions = 1 + below(1000);
    result.reads = below(100'000);
    result.sharedAccesses = below(result.reads + 1);
    result.safeAccesses = below(result.sharedAccesses + 1);
    result.others.pairs = below(1000);
    result.others.lineConflicts = below(result.others.pairs + 1);
    result.others.conflicts = below(result.others.lineConflicts + 1);
    result.writers = below(result.executions + 1);
    result.othersOfWriters.pairs = below(result.others.pairs + 1);
    result.othersOfWriters.conflicts =
        below(std::min(result.othersOfWriters.pairs, result.others.conflicts) + 1);
    result.writtenAfter[below(format::readersBuckets)] = below(1000);
    for (std::uint64_t i = below(format::overlapSlots + 3); i > 0; --i)
      format::addOverlap(result, 1 + static_cast<std::uint32_t>(below(20)), 1 + below(10));
    for (std::uint8_t &rank : result.lines)
      rank = static_cast<std::uint8_t>(below(20));
    return result;
  }

  void addSources(Profile &profile) {
    siteOrder = shuffled(size.sites);
    for (const std::size_t i : siteOrder) {
      ProfiledSite site;
      site.file = "src/file" + std::to_string(i % 7) + ".cc";
      site.function = "Class" + std::to_string(i % 11) + "::member(int, const std::string &) const";
      site.expression = "lock_";
      site.line = static_cast<std::uint32_t>(i);
      site.executed = below(1000);
      // Some are told apart by what leads there: an address, or what that was found to be.
      if (i % 3 == 0)
        site.path = {{{"/bin/program", 16 * i}, "", "", 0, true},
                     {{}, "caller" + std::to_string(i % 2), "src/main.cc", 7, false}};
      profile.sites.push_back(std::move(site));
    }
    if (below(4) == 0) // another version of the program
      profile.sites.front().sectionHash = below(3);
    lockOrder = shuffled(size.lockClasses);
    for (const std::size_t i : lockOrder) {
      ProfiledLockClass lockClass;
      lockClass.name = "Class" + std::to_string(i) + "::lock_";
      lockClass.readers = {static_cast<std::uint32_t>(below(5)), time(1e9),
                           moments(below(100), 1e6)};
      profile.lockClasses.push_back(std::move(lockClass));
    }
    threadOrder = shuffled(size.threadClasses);
    for (const std::size_t i : threadOrder) {
      ProfiledThreadClass threads;
      threads.name = "run" + std::to_string(i);
      threads.count = static_cast<std::uint32_t>(1 + below(8));
      threads.maxAlive = threads.count;
      threads.aliveNs = time(1e11);
      threads.blockedNs = threads.aliveNs * 0.3;
      profile.threadClasses.push_back(std::move(threads));
    }
  }

  void addLocks(Profile &profile) {
    for (std::size_t i = 0; i < 3 * profile.lockClasses.size(); ++i) {
      // Some have the same traffic, one in ten stands for those beyond max_locks.
      const std::uint64_t acquisitions = below(2) ? 10 : below(1000);
      profile.locks.push_back({any(profile.lockClasses), below(10) ? 0x1000 + 64 * i : 0,
                               acquisitions, below(acquisitions + 1), time(1e9), time(1e9)});
      const std::uint64_t threads = 1 + below(8);
      profile.takers.push_back({any(profile.lockClasses),
                                below(4) ? std::optional(any(profile.threadClasses)) : std::nullopt,
                                threads, below(threads + 1), acquisitions, below(acquisitions + 1),
                                time(1e9), time(1e9)});
      if (below(2))
        profile.unseen.push_back({"/lib/lib" + std::to_string(i) + ".so", 1 + below(1000)});
      const auto bucket = static_cast<std::uint32_t>(below(4));
      profile.closedLocks.push_back({any(profile.lockClasses), bucket, 1,
                                     std::uint64_t{1} << bucket, below(2), time(1e6), time(1e6)});
    }
  }

  void addSections(Profile &profile) {
    const std::vector<std::size_t> siteAt = inverse(siteOrder), lockAt = inverse(lockOrder),
                                   threadAt = inverse(threadOrder);
    std::vector<std::optional<std::size_t>> met(size.sections);
    for (std::size_t i = 0; i < size.sections; ++i) {
      // One in three is inside another section of its thread class.
      const bool nested = i % 3 == 2 && i >= size.threadClasses;
      const std::optional<std::size_t> outer = nested ? met[i - size.threadClasses] : std::nullopt;
      if ((nested && !outer) || (i > 0 && below(8) == 0))
        continue;
      const std::size_t site = 7 * i % size.sites;
      ProfiledSection section;
      section.threadClass = threadAt[i % size.threadClasses];
      section.site = siteAt[site];
      section.lockClass = lockAt[site % size.lockClasses];
      section.shared = site % 4 == 1;
      section.inside = outer;
      section.acquisitions = 1 + below(1'000'000);
      section.contended = below(section.acquisitions);
      section.hold = moments(section.acquisitions, 1e6);
      section.wait = moments(section.acquisitions, 1e7);
      section.waitContended = moments(section.contended, 1e7);
      section.contendedByWriter = below(section.contended + 1);
      section.waitByWriter = moments(section.contendedByWriter, 1e7);
      section.holdHistogram = histogram();
      section.waitHistogram = histogram();
      if (below(3) == 0)
        section.memory = memory();
      met[i] = profile.sections.size();
      profile.sections.push_back(std::move(section));
    }
    for (const std::size_t i : shuffled(size.transitions)) {
      const std::size_t from = i % size.sections;
      const std::size_t to = (from + size.threadClasses * (i / size.sections)) % size.sections;
      if (!met[from] || profile.sections[*met[from]].inside)
        continue;
      ProfiledTransition transition;
      transition.threadClass = profile.sections[*met[from]].threadClass;
      transition.from = met[from];
      if (met[to] && !profile.sections[*met[to]].inside &&
          profile.sections[*met[to]].threadClass == transition.threadClass)
        transition.to = met[to];
      const std::uint64_t count = 1 + below(10'000);
      transition.local = moments(count, 1e8);
      transition.blocked = moments(count, 1e9);
      transition.localHistogram = histogram();
      profile.transitions.push_back(std::move(transition));
    }
  }

  void addWindows(Profile &profile) {
    const double length = profile.durationNs / static_cast<double>(size.windows);
    for (std::size_t i = 0; i < size.windows; ++i) {
      ProfiledWindow window;
      window.startNs = static_cast<double>(i) * length;
      window.durationNs = length;
      for (std::size_t section = 0; section < profile.sections.size(); ++section)
        window.sections.push_back({section, below(100), time(1e6), time(1e6)});
      for (std::size_t threads = 0; threads < profile.threadClasses.size(); ++threads)
        window.threads.push_back({threads, 1, time(1e6), time(1e6)});
      profile.windows.push_back(std::move(window));
    }
  }

  std::vector<std::size_t> siteOrder, lockOrder, threadOrder; ///< of the latest run
  const Size size;
  std::mt19937_64 random;
};

} // namespace qdadvise::testing
