// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/accuracy/ShortProfiles.h"

#include "advisor/model/uncertainty/Confidence.h"
#include "advisor/model/workload/Workload.h"
#include "advisor/network/construction/Construction.h"
#include "advisor/sim/Distributions.h"
#include "advisor/sim/MulticoreCosts.h"
#include "bench/accuracy/Scores.h"
#include "runtime/abi/profile_format.h"
#include "runtime/abi/site_record.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace qdadvise::accuracy {
namespace {

/// Records a thread that goes through the network alone.
class Recording {
public:
  Recording(const Network &source, std::uint64_t seed) : network(source), random(seed) {
    profile.flags = format::runThreaded;
    profile.durationNs = 1;
    for (const Lock &lock : network.locks) {
      profile.lockClasses.push_back({lock.name, "", "", 0, 0, 0, {}});
      std::vector<double> shares = lock.shares;
      double rest = 1;
      for (const double share : shares)
        rest -= share;
      const std::size_t others = lock.instances - shares.size();
      for (std::size_t i = 0; i < others; ++i)
        shares.push_back(std::max(0.0, rest) / static_cast<double>(others));
      instances.emplace_back(shares);
      counts.emplace_back(shares.size(), 0);
    }
    for (std::size_t i = 0; i < network.sections.size(); ++i) {
      ProfiledSite site;
      site.file = site.function = network.sections[i].name;
      site.line = static_cast<std::uint32_t>(i + 1);
      profile.sites.push_back(site);
      holds.emplace_back(network.sections[i].hold);
    }
    for (const Transition &transition : network.transitions) {
      locals.emplace_back(transition.local);
      blocked.emplace_back(Duration{transition.blockedNs, 1});
    }
  }

  /// Makes `visits` visits as one thread of this class.
  void record(const Traffic &traffic, std::uint64_t visits) {
    threadClass = traffic.threadClass;
    std::vector<double> first = traffic.visits;
    for (std::size_t i = 0; i < first.size(); ++i)
      if (network.sections[i].inside)
        first[i] = 0;
    std::size_t at = sim::ChoiceSampler(first).draw(random);
    for (std::uint64_t visit = 0; visit < visits; ++visit) {
      const std::size_t from = execute(at, std::nullopt);
      std::vector<std::size_t> choices;
      std::vector<double> probabilities;
      for (std::size_t i = 0; i < network.transitions.size(); ++i)
        if (network.transitions[i].threadClass == threadClass &&
            network.transitions[i].from == at) {
          choices.push_back(i);
          probabilities.push_back(network.transitions[i].probability);
        }
      const std::size_t chosen = choices[sim::ChoiceSampler(probabilities).draw(random)];
      at = network.transitions[chosen].to;
      if (visit + 1 == visits)
        break; // it ends within the way
      ProfiledTransition &transition = transitionTo(from, indexOf(at, std::nullopt));
      add(transition.local, draw(locals[chosen]));
      add(transition.blocked, draw(blocked[chosen]));
    }
  }

  Expected<Network> result() {
    ConstructionOptions options;
    for (const ThreadClass &threads : network.classes) {
      profile.threadClasses.push_back({threads.name, "", 0, 1,
                                       static_cast<std::uint32_t>(std::max(1.0, threads.threads)),
                                       false, 0, 0});
      if (threads.scales)
        options.scale.push_back(threads.name);
    }
    for (std::size_t lock = 0; lock < counts.size(); ++lock)
      for (std::size_t i = 0; i < counts[lock].size(); ++i)
        profile.locks.push_back({lock, i + 1, counts[lock][i], 0, 0, 0});
    auto construction = TRY(constructNetwork(profile, Machine{}, options));
    // The weights of a profile are the numbers of threads that were alive.
    for (ThreadClass &threads : construction.network.classes)
      for (const ThreadClass &original : network.classes)
        if (original.name == threads.name)
          threads.weight = original.weight;
    return std::move(construction.network);
  }

private:
  using Key = std::tuple<std::size_t, std::size_t, std::optional<std::size_t>>;

  static void add(Moments &moments, double value) { moments.merge({1, value, 0, value, value}); }
  double draw(const sim::TimeSampler &sampler) { return sim::nanoseconds(sampler.draw(random)); }

  std::size_t indexOf(std::size_t section, std::optional<std::size_t> inside) {
    const auto [place, isNew] =
        sections.try_emplace({threadClass, section, inside}, profile.sections.size());
    if (isNew) {
      ProfiledSection recorded;
      recorded.threadClass = threadClass;
      recorded.site = section;
      recorded.lockClass = network.sections[section].lock;
      recorded.inside = inside;
      recorded.shared = network.sections[section].shared;
      profile.sections.push_back(recorded);
    }
    return place->second;
  }

  std::size_t execute(std::size_t section, std::optional<std::size_t> inside) {
    const std::size_t index = indexOf(section, inside);
    ++profile.sections[index].acquisitions;
    const std::size_t lock = network.sections[section].lock;
    ++counts[lock][instances[lock].draw(random)];
    add(profile.sections[index].hold, draw(holds[section]));
    for (std::size_t inner = 0; inner < network.sections.size(); ++inner) {
      if (network.sections[inner].inside != section)
        continue;
      const double visits = network.sections[inner].visits;
      const double whole = std::floor(visits);
      const double times = whole + (sim::uniform(random) < visits - whole ? 1 : 0);
      for (double i = 0; i < times; ++i)
        execute(inner, index);
    }
    return index;
  }

  ProfiledTransition &transitionTo(std::size_t from, std::size_t to) {
    const auto [place, isNew] =
        transitions.try_emplace({threadClass, from, to}, profile.transitions.size());
    if (isNew) {
      ProfiledTransition recorded;
      recorded.threadClass = threadClass;
      recorded.from = from;
      recorded.to = to;
      profile.transitions.push_back(recorded);
    }
    return profile.transitions[place->second];
  }

  const Network &network;
  sim::Random random;
  Profile profile;
  std::size_t threadClass = 0;
  std::vector<sim::TimeSampler> holds, locals, blocked;
  std::vector<sim::ChoiceSampler> instances; ///< by lock
  std::vector<std::vector<std::uint64_t>> counts;
  std::map<Key, std::size_t> sections, transitions;
};

bool contains(const Interval &interval, double value) {
  return interval.low <= value && value <= interval.high;
}

} // namespace

Expected<Network> shortProfile(const Network &network, std::uint64_t visits, std::uint64_t seed) {
  Recording recording(network, seed);
  double all = 0;
  const std::vector<Traffic> traffic = trafficOf(network);
  for (const Traffic &one : traffic)
    all += one.share;
  for (const Traffic &one : traffic)
    recording.record(
        one,
        static_cast<std::uint64_t>(std::ceil(static_cast<double>(visits) * one.share / all)) + 2);
  return recording.result();
}

void Coverage::add(const Coverage &other) {
  for (const auto part : {&Coverage::throughput, &Coverage::wait}) {
    (this->*part).in += (other.*part).in;
    (this->*part).all += (other.*part).all;
  }
}

Expected<Coverage> coverageOf(const Case &which, LockKind kind, const Machine &machine,
                              const Simulated &simulated, std::uint64_t visits,
                              std::uint64_t seed) {
  const auto network = TRY(shortProfile(which.network, visits, seed));
  const std::vector<LockKind> kinds(network.locks.size(), kind);
  const auto sweep = TRY(predictSweep(network, kind, machine, {which.threads}));
  const auto intervals = TRY(confidenceIntervals(network, kinds, machine, sweep));
  Coverage coverage;
  coverage.throughput.add(
      contains(intervals.front().throughputPerS, simulated.throughputPerS.value));
  for (std::size_t i = 0; i < simulated.locks.size(); ++i)
    for (std::size_t other = 0; other < network.locks.size(); ++other)
      if (network.locks[other].name == which.network.locks[i].name &&
          waitIsScored(simulated.locks[i]))
        coverage.wait.add(
            contains(intervals.front().locks[other].waitNs, simulated.locks[i].waitNs.value));
  return coverage;
}

} // namespace qdadvise::accuracy
