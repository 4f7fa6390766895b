// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/OwnLocks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace qdadvise {
namespace {

/// Gives the lock instances with this traffic, the busiest first.
void setShares(Lock &lock, const std::vector<double> &traffic) {
  const double sum = std::accumulate(traffic.begin(), traffic.end(), 0.0);
  lock.instances = std::max(1u, static_cast<std::uint32_t>(traffic.size()));
  lock.shares.clear();
  if (std::adjacent_find(traffic.begin(), traffic.end(), std::not_equal_to<>()) != traffic.end())
    for (std::size_t i = 0; i + 1 < traffic.size(); ++i)
      lock.shares.push_back(traffic[i] / sum);
}

/// Divides the instances of a lock: the busiest that fit are the own ones.
void divideShares(Lock &lock, Lock &ownLock, double own) {
  std::vector<double> all = lock.shares;
  const double rest = std::max(0.0, 1 - std::accumulate(all.begin(), all.end(), 0.0));
  if (const std::size_t others = lock.instances - std::min<std::size_t>(all.size(), lock.instances))
    all.insert(all.end(), others, rest / static_cast<double>(others));
  constexpr double chance = 0.02; // a lock of several runs may stand for a few
  std::vector<double> shared, owned;
  for (const double share : all) {
    if (share <= own + chance && share < 2 * own) {
      own -= share;
      owned.push_back(share);
    } else {
      shared.push_back(share);
    }
  }
  setShares(lock, shared);
  setShares(ownLock, owned);
}

/// Makes the sections of the divided network.
class Division {
public:
  Division(Network &of, std::size_t lock, const OwnTraffic &traffic)
      : network(of), lock(lock), traffic(traffic), versions(of.sections.size()),
        children(of.sections.size()) {
    for (const Section &section : of.sections)
      names.insert(section.name);
    for (std::size_t i = 0; i < of.sections.size(); ++i)
      if (of.sections[i].inside)
        children[*of.sections[i].inside].push_back(i);
    setShares();
  }

  std::vector<std::size_t> run(std::size_t ownLock) {
    for (std::size_t i = 0; i < network.sections.size(); ++i)
      if (!network.sections[i].inside)
        versions[i] = place(i, std::nullopt, false, ownLock);
    network.transitions = transitions();
    network.sections = std::move(sections);
    return std::move(origin);
  }

private:
  struct Version {
    std::size_t section;
    double share;
  };

  bool isOfLock(std::size_t section) const { return network.sections[section].lock == lock; }
  bool isInsideOfClass(std::size_t section) const {
    for (auto outer = network.sections[section].inside; outer;
         outer = network.sections[*outer].inside)
      if (isOfLock(*outer))
        return true;
    return false;
  }

  /// Finds which share of the sections inside others of the class, and of all others, are of shared
  /// locks.
  void setShares() {
    std::vector<double> visits(network.sections.size(), 0);
    for (const Transition &transition : network.transitions)
      visits[transition.to] += static_cast<double>(transition.samples);
    const auto visitsOf = [&](std::size_t section) {
      double times = 1;
      for (; network.sections[section].inside; section = *network.sections[section].inside)
        times *= network.sections[section].visits;
      return times * visits[section];
    };
    double inner = 0, outer = 0;
    for (std::size_t i = 0; i < network.sections.size(); ++i)
      if (isOfLock(i))
        (isInsideOfClass(i) ? inner : outer) += visitsOf(i);
    const double shared = (1 - traffic.share) * (inner + outer);
    constexpr double most = 0.995; // more is a matter of counting
    sharedInside = inner > 0 ? std::min(1.0, shared / inner) : 0;
    sharedInside = sharedInside > most ? 1 : sharedInside;
    sharedOutside = outer > 0 ? std::max(0.0, shared - sharedInside * inner) / outer : 0;
    sharedOutside = sharedOutside < 1 - most ? 0 : sharedOutside;
  }

  /// Adds a section, and those inside it, in another one of the new network: once, or once with an
  /// own lock and once with a shared one.
  std::vector<Version> place(std::size_t section, std::optional<std::size_t> inside, bool isCopy,
                             std::size_t ownLock) {
    const Section &old = network.sections[section];
    if (!isOfLock(section))
      return {{add(section, old, inside, isCopy, ownLock), 1}};
    const double shared = isInsideOfClass(section) ? sharedInside : sharedOutside;
    // Where all is of one kind its times are known already.
    const double mean = shared * traffic.sharedHoldNs + (1 - shared) * traffic.ownHoldNs;
    std::vector<Version> result;
    for (const bool own : {true, false}) {
      const double share = own ? 1 - shared : shared;
      if (share <= 0)
        continue;
      Section one = old;
      one.lock = own ? ownLock : lock;
      one.visits *= share;
      if (mean > 0)
        one.hold.mean *= (own ? traffic.ownHoldNs : traffic.sharedHoldNs) / mean;
      one.hold.samples = samplesOf(old.hold.samples, share);
      const std::size_t added = add(section, one, inside, isCopy || !result.empty(), ownLock);
      result.push_back({added, share});
    }
    return result;
  }

  std::size_t add(std::size_t section, Section made, std::optional<std::size_t> inside, bool isCopy,
                  std::size_t ownLock) {
    made.inside = inside;
    for (int number = 2; isCopy && !names.insert(made.name).second; ++number)
      made.name = network.sections[section].name + " #" + std::to_string(number);
    sections.push_back(std::move(made));
    origin.push_back(section);
    const std::size_t added = sections.size() - 1;
    for (const std::size_t child : children[section])
      place(child, added, isCopy, ownLock);
    return added;
  }

  static std::uint64_t samplesOf(std::uint64_t samples, double share) {
    return samples == 0 ? 0
                        : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(
                                                         static_cast<double>(samples) * share)));
  }

  std::vector<Transition> transitions() const {
    std::vector<Transition> result;
    for (const Transition &old : network.transitions)
      for (const Version &from : versions[old.from])
        for (const Version &to : versions[old.to]) {
          Transition one = old;
          one.from = from.section;
          one.to = to.section;
          one.probability *= to.share;
          for (TransitionInPhase &phase : one.phases)
            phase.probability *= to.share;
          one.samples = samplesOf(old.samples, from.share * to.share);
          result.push_back(std::move(one));
        }
    return result;
  }

  Network &network;
  const std::size_t lock;
  const OwnTraffic traffic;
  std::vector<std::vector<Version>> versions; ///< by outermost section of today
  std::vector<std::vector<std::size_t>> children;
  std::set<std::string> names;
  std::vector<Section> sections;
  std::vector<std::size_t> origin;
  double sharedInside = 0, sharedOutside = 0;
};

} // namespace

bool hasBusyLocks(const Lock &lock) {
  constexpr double much = 0.05;
  return lock.instances > 1 &&
         (lock.shares.empty() ? 1.0 / lock.instances : lock.shares.front()) >= much;
}

std::vector<std::size_t> divideOwn(Network &network, std::size_t lock, const OwnTraffic &own) {
  std::vector<std::size_t> origin = Division(network, lock, own).run(network.locks.size());
  Lock made = network.locks[lock];
  made.name += ", each thread's own";
  made.perThread = true;
  made.neverRan.clear();
  divideShares(network.locks[lock], made, own.share);
  network.locks.push_back(std::move(made));
  return origin;
}

} // namespace qdadvise
