// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/network/construction/MeasuredTransitions.h"

#include "advisor/network/construction/Chain.h"
#include "advisor/network/construction/MeasuredDuration.h"
#include "advisor/network/construction/Steadiness.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace qdadvise {
namespace {

/// For a thread that runs this many sections, how it began and ended is no part of the cycle that
/// more threads would repeat.
constexpr double sectionsOfALongLife = 100;

bool isNested(const Profile &profile, const ProfiledTransition &transition) {
  return (transition.from && profile.sections[*transition.from].inside) ||
         (transition.to && profile.sections[*transition.to].inside);
}

std::uint64_t countNested(const Profile &profile, std::size_t threadClass) {
  std::uint64_t nested = 0;
  for (const ProfiledTransition &transition : profile.transitions)
    if (transition.threadClass == threadClass && isNested(profile, transition))
      nested += transition.local.count;
  return nested;
}

/// The transitions of a class as a closed chain over sections of the network.
Chain chainOf(const Profile &profile, std::size_t threadClass, const Placement &placement) {
  Chain chain;
  // Sections that the network leaves out take part at first, under numbers of their own.
  const auto node = [&](const std::optional<std::size_t> &section) {
    if (!section)
      return Chain::outside;
    return placement.places[*section].value_or(placement.members.size() + *section);
  };
  for (const ProfiledTransition &transition : profile.transitions)
    if (transition.threadClass == threadClass && !isNested(profile, transition))
      chain.add(node(transition.from), node(transition.to),
                Flow::of(transition.local, transition.blocked));
  chain.balance();
  for (std::size_t i = 0; i < profile.sections.size(); ++i)
    if (profile.sections[i].threadClass == threadClass && !placement.places[i])
      chain.eliminate(node(i), Flow::of(profile.sections[i].hold, Moments()));
  return chain;
}

/// The time in a section and in those inside it.
double executionNs(const std::vector<Section> &sections, std::size_t section) {
  double ns = sections[section].hold.mean;
  for (std::size_t i = section + 1; i < sections.size(); ++i)
    if (const Section &inner = sections[i]; inner.inside == section)
      ns += inner.visits * executionNs(sections, i);
  return ns;
}

bool haveALongLife(const Chain &chain) {
  double sections = 0, beginnings = 0;
  for (const auto &[ends, flow] : chain.flows()) {
    sections += ends.second == Chain::outside ? 0 : flow.count;
    beginnings += ends.first == Chain::outside ? flow.count : 0;
  }
  return sections > sectionsOfALongLife * beginnings;
}

/// The chain without how the threads began and ended, and without the sections that they ran only
/// then, in which more threads would not meet.
Chain whatRepeats(const Chain &chain, const std::vector<Section> &sections) {
  Chain core = chain;
  while (const auto node = core.beginningOrEnd()) {
    Flow within;
    within.localMean = executionNs(sections, *node);
    core.eliminate(*node, within);
  }
  // If that was all, nothing is left out.
  return core.insideCount() > 0 ? core : chain;
}

/// A thread that is not there for all of the run is blocked for the rest: else one that reads a
/// file and is done would read it again and again.
void blockWhileNotAlive(Chain &chain, const Profile &profile, const ProfiledThreadClass &threads) {
  const double together = std::max(1u, threads.maxAlive);
  if (threads.aliveNs > 0)
    chain.blockOutside(std::max(0.0, together * profile.durationNs - threads.aliveNs));
}

/// Slices are a sample of what repeats, but what main does once, as it begins and ends, is recorded
/// as a whole or not at all. So it is taken as often as in the whole run, and main is blocked for
/// the time that was not recorded: else one that opens a file and then waits would open it twenty
/// times as often.
void takeOnceAsInTheWholeRun(Chain &chain, const Profile &profile,
                             const std::vector<Section> &sections) {
  const double runs = static_cast<double>(std::max<std::uint64_t>(profile.runs, 1));
  chain.thinOut(runs, profile.recordedShare());
  double ns = chain.insideNs() + chain.outsideNs();
  for (std::size_t i = 0; i < sections.size(); ++i)
    if (!sections[i].inside)
      ns += chain.visitsTo(i) * executionNs(sections, i);
  chain.blockOutside(std::max(0.0, profile.durationNs - ns));
}

} // namespace

MeasuredTransitions measuredTransitions(const Profile &profile, std::size_t threadClass,
                                        const Placement &placement, const Network &network,
                                        std::size_t networkClass, const Machine &machine) {
  MeasuredTransitions result;
  const ProfiledThreadClass &threads = profile.threadClasses[threadClass];
  result.nested = countNested(profile, threadClass);
  Chain chain = chainOf(profile, threadClass, placement);
  if (network.classes[networkClass].scales && haveALongLife(chain)) {
    chain = whatRepeats(chain, network.sections);
    result.outsideNs = chain.outsideNs();
    result.repeatedNs = chain.insideNs();
    chain.forgetOutsideTimes();
  } else if (network.classes[networkClass].scales) {
    result.endsNs = chain.outsideNs();
  } else if (!threads.isMain) {
    blockWhileNotAlive(chain, profile, threads);
  } else if (profile.recordedShare() < 1) {
    takeOnceAsInTheWholeRun(chain, profile, network.sections);
  }
  chain.eliminate(Chain::outside);

  // Local times of one transition depend on each other as much as those of the whole class do.
  Flow all;
  for (const auto &[ends, flow] : chain.flows())
    all.merge(flow);
  const double inefficiency =
      inefficiencyOfLocals(profile, threadClass, all.localMean, all.localVariance, all.count);
  std::map<std::size_t, double> rowSums;
  for (const auto &[ends, flow] : chain.flows())
    rowSums[ends.first] += flow.count;
  for (const auto &[ends, flow] : chain.flows()) {
    const std::size_t lock = network.sections[ends.first].lock;
    const auto samples =
        static_cast<std::uint64_t>(std::max<long long>(std::llround(flow.count), 1));
    Transition transition;
    transition.threadClass = networkClass;
    transition.from = ends.first;
    transition.to = ends.second;
    transition.probability = flow.count / rowSums[ends.first];
    transition.local = durationOf(
        std::max(flow.localMean - releaseNs(machine, network.locks[lock].kind.kind), 0.0),
        flow.localVariance, samples);
    transition.blockedNs = flow.blockedMean;
    transition.local.inefficiency = inefficiency;
    transition.samples = samples;
    result.transitions.push_back(transition);
  }
  return result;
}

} // namespace qdadvise
