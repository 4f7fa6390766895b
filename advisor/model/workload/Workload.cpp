// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/Workload.h"

#include "advisor/model/workload/Routing.h"

#include <algorithm>
#include <cmath>

namespace qdadvise {

namespace {

/// How often a nested section runs per visit to its outermost one.
double visitsPerOutermost(const Network &network, std::size_t section, std::size_t &outermost) {
  double visits = 1;
  outermost = section;
  while (network.sections[outermost].inside) {
    visits *= network.sections[outermost].visits;
    outermost = *network.sections[outermost].inside;
  }
  return visits;
}

bool anyScales(const std::vector<Traffic> &traffic) {
  return std::any_of(traffic.begin(), traffic.end(), [](const Traffic &t) { return t.scales; });
}

/// How many threads of one class the merged class has, and whether they count only while awake.
struct Members {
  double threads = 0;
  bool awakeOnly = false;
};

/// A fixed class beside scaling ones counts by the share of its time that it is not blocked (NET4).
/// A `main` that waits for its workers to end neither needs a core nor queues for a lock.
Members membersOf(const Network &network, const Traffic &one, int scalingThreads, bool besides) {
  if (one.scales)
    return {one.threads(scalingThreads), false};
  const double alone = aloneNs(network, one);
  if (!besides || alone <= 0)
    return {one.share, false};
  return {one.share * (1 - one.blockedNs / alone), true};
}

} // namespace

double aloneNs(const Network &network, const Traffic &traffic) {
  double cycle = traffic.computeNs + traffic.blockedNs;
  for (std::size_t i = 0; i < traffic.visits.size(); ++i)
    cycle += traffic.visits[i] * network.sections[i].hold.mean;
  return cycle;
}

std::vector<Traffic> trafficOf(const Network &network) {
  std::vector<Traffic> result;
  double weights = 0;
  for (std::size_t i = 0; i < network.classes.size(); ++i) {
    const ThreadClass &threads = network.classes[i];
    for (RoutingPart &part : recurrentParts(network, i)) {
      Traffic traffic;
      traffic.name = threads.name;
      traffic.threadClass = i;
      traffic.scales = threads.scales;
      traffic.share = part.share * (threads.scales ? threads.weight : threads.threads);
      weights += traffic.scales ? traffic.share : 0;
      traffic.visits = std::move(part.visits);
      traffic.flows.assign(network.transitions.size(), 0);
      for (std::size_t k = 0; k < network.transitions.size(); ++k) {
        const Transition &transition = network.transitions[k];
        if (transition.threadClass != i)
          continue;
        const double rate = traffic.visits[transition.from] * transition.probability;
        traffic.flows[k] = rate;
        traffic.computeNs += rate * transition.local.mean;
        traffic.blockedNs += rate * transition.blockedNs;
      }
      for (std::size_t section = 0; section < network.sections.size(); ++section) {
        std::size_t outermost = section;
        const double visits = visitsPerOutermost(network, section, outermost);
        if (outermost != section)
          traffic.visits[section] = visits * traffic.visits[outermost];
      }
      result.push_back(std::move(traffic));
    }
  }
  for (Traffic &traffic : result)
    if (traffic.scales)
      traffic.share /= weights;
  return result;
}

double populationOf(const Network &network, const std::vector<Traffic> &traffic,
                    int scalingThreads) {
  const bool besides = anyScales(traffic);
  double population = 0;
  for (const Traffic &one : traffic)
    population += membersOf(network, one, scalingThreads, besides).threads;
  return population;
}

MergedTraffic mergeTraffic(const Network &network, const std::vector<Traffic> &traffic,
                           int scalingThreads, const std::vector<double> &cyclesPerNs) {
  MergedTraffic merged;
  merged.visits.assign(network.sections.size(), 0);
  if (traffic.size() == 1)
    merged.flows = traffic.front().flows;
  const bool besides = anyScales(traffic);
  double rates = 0;
  for (std::size_t c = 0; c < traffic.size(); ++c) {
    const Traffic &one = traffic[c];
    const bool awakeOnly = membersOf(network, one, scalingThreads, besides).awakeOnly;
    const double rate = cyclesPerNs[c];
    rates += rate;
    merged.computeNs += rate * one.computeNs;
    merged.blockedNs += awakeOnly ? 0 : rate * one.blockedNs;
    for (std::size_t i = 0; i < one.visits.size(); ++i)
      merged.visits[i] += rate * one.visits[i];
  }
  merged.population =
      std::max(1, static_cast<int>(std::lround(populationOf(network, traffic, scalingThreads))));
  merged.computeNs /= rates;
  merged.blockedNs /= rates;
  for (double &visits : merged.visits)
    visits /= rates;
  return merged;
}

std::vector<double> ratesAlone(const Network &network, const std::vector<Traffic> &traffic,
                               int scalingThreads) {
  std::vector<double> rates;
  for (const Traffic &one : traffic)
    rates.push_back(one.threads(scalingThreads) / aloneNs(network, one));
  return rates;
}

std::vector<double> visitsToLocks(const Network &network) {
  std::vector<double> visits(network.sections.size(), 0), ofLock(network.locks.size(), 0);
  for (const Traffic &traffic : trafficOf(network))
    for (std::size_t i = 0; i != visits.size(); ++i)
      visits[i] += traffic.share * traffic.visits[i];
  for (std::size_t i = 0; i != visits.size(); ++i)
    ofLock[network.sections[i].lock] += visits[i];
  for (std::size_t i = 0; i != visits.size(); ++i)
    visits[i] /= std::max(ofLock[network.sections[i].lock], 1e-300);
  return visits;
}

std::vector<std::size_t> unvisitedSections(const Network &network,
                                           const std::vector<Traffic> &traffic) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < network.sections.size(); ++i)
    if (std::none_of(traffic.begin(), traffic.end(),
                     [i](const Traffic &one) { return one.visits[i] > 0; }))
      result.push_back(i);
  return result;
}

} // namespace qdadvise
