// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/construction/RunPhases.h"

#include "advisor/network/Validation.h"
#include "advisor/network/construction/WindowPhases.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace qdadvise {
namespace {

double sumOf(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Counts and times by phase.
struct Observed {
  std::vector<double> count, ns;
  explicit Observed(std::size_t phases) : count(phases, 0), ns(phases, 0) {}
  double countOfAll() const { return sumOf(count); }
  /// The mean in a phase, over that of all; 1 where it was not observed.
  double meanIn(std::size_t phase) const {
    return count[phase] > 0 && sumOf(ns) > 0 ? ns[phase] / count[phase] * countOfAll() / sumOf(ns)
                                             : 1;
  }
  /// The share of a phase in all observations.
  double shareOf(std::size_t phase) const { return count[phase] / countOfAll(); }
};

/// The flows of a class of threads, `[transition][phase]`.
using Flows = std::vector<std::vector<double>>;

/// The flow at a section, `[section][phase]`: of the transitions that have it at this end.
Flows flowsAt(std::size_t Transition::*end, const std::vector<Transition> &transitions,
              const Flows &flows, std::size_t sections) {
  Flows sums(sections);
  for (std::size_t k = 0; k < flows.size(); ++k) {
    std::vector<double> &sum = sums[transitions[k].*end];
    sum.resize(flows[k].size(), 0);
    for (std::size_t phase = 0; phase < sum.size(); ++phase)
      sum[phase] += flows[k][phase];
  }
  return sums;
}

/// Splits the transitions of a class among phases such that those that leave a section, and those
/// that enter it, are divided as its acquisitions are: iterative proportional fitting, which adds
/// nothing else to what is known (RPH3).
Flows splitTransitions(const std::vector<Transition> &transitions,
                       const std::vector<Observed> &sections, std::size_t phases) {
  constexpr int mostRounds = 1000;
  constexpr double precise = 1e-6;
  Flows flows;
  for (const Transition &transition : transitions)
    flows.emplace_back(phases,
                       static_cast<double>(transition.samples) / static_cast<double>(phases));
  for (int round = 0; round < mostRounds; ++round) {
    for (std::size_t Transition::*const end : {&Transition::from, &Transition::to}) {
      const Flows sums = flowsAt(end, transitions, flows, sections.size());
      for (std::size_t k = 0; k < flows.size(); ++k) {
        const std::size_t section = transitions[k].*end;
        const double all = sumOf(sums[section]);
        for (std::size_t phase = 0; phase < phases; ++phase)
          if (const double sum = sums[section][phase]; sum > 0)
            flows[k][phase] *= sections[section].shareOf(phase) * all / sum;
      }
    }
    double most = 0;
    for (std::size_t k = 0; k < flows.size(); ++k) {
      const double all = sumOf(flows[k]), known = static_cast<double>(transitions[k].samples);
      if (all <= 0) // it leads from one phase to the next
        continue;
      most = std::max(most, std::abs(known / all - 1));
      for (double &each : flows[k])
        each *= known / all;
    }
    if (most < precise)
      break;
  }
  return flows;
}

/// Takes out flows into sections that are not left in a phase, and with them what led there.
void pruneDeadEnds(const std::vector<Transition> &transitions, std::size_t phase, Flows &flows) {
  for (bool changed = true; changed;) {
    changed = false;
    std::set<std::size_t> left;
    for (std::size_t k = 0; k < flows.size(); ++k)
      if (flows[k][phase] > 0)
        left.insert(transitions[k].from);
    for (std::size_t k = 0; k < flows.size(); ++k)
      if (flows[k][phase] > 0 && !left.contains(transitions[k].to)) {
        flows[k][phase] = 0;
        changed = true;
      }
  }
}

class PhaseBuilder {
public:
  PhaseBuilder(Network &target, const Profile &source, const Placement &places,
               const std::vector<std::optional<std::size_t>> &networkClasses)
      : network(target), profile(source), placement(places), classes(networkClasses),
        windows(source, scaling(target, networkClasses)), count(windows.count()) {}

  std::size_t build() {
    if (count < 2)
      return 1;
    const Network steady = network;
    addSections();
    for (std::size_t i = 0; i < network.classes.size(); ++i)
      if (network.classes[i].scales)
        addTransitions(i);
    if (!validate(network))
      return count;
    network = steady;
    return 1;
  }

private:
  /// By thread class of the profile.
  static std::vector<bool> scaling(const Network &network,
                                   const std::vector<std::optional<std::size_t>> &classes) {
    std::vector<bool> result;
    for (const std::optional<std::size_t> &at : classes)
      result.push_back(at && network.classes[*at].scales);
    return result;
  }

  /// Adds what windows say of a section of the profile.
  void observe(std::size_t window, const ProfiledWindow::Section &in, Observed &observed) const {
    for (std::size_t phase = 0; phase < count; ++phase) {
      observed.count[phase] += windows.acquisitionShare(phase, window, in.section) *
                               static_cast<double>(in.acquisitions);
      observed.ns[phase] += windows.holdShare(phase, window, in.section) * in.holdNs;
    }
  }

  void addSections() {
    std::vector<Observed> all(network.sections.size(), Observed(count));
    Observed ofScaling(count); // of the classes that scale
    for (std::size_t window = 0; window < profile.windows.size(); ++window)
      for (const ProfiledWindow::Section &in : profile.windows[window].sections) {
        const auto place = placement.places[in.section];
        const auto at = classes[profile.sections[in.section].threadClass];
        if (!place || !at)
          continue;
        observe(window, in, all[*place]);
        if (network.classes[*at].scales)
          observe(window, in, ofScaling);
      }
    for (std::size_t phase = 0; phase < count; ++phase)
      network.phases.push_back(ofScaling.shareOf(phase));
    for (std::size_t i = 0; i < network.sections.size(); ++i)
      for (std::size_t phase = 0; phase < count; ++phase)
        network.sections[i].phases.push_back({all[i].meanIn(phase), nestedIn(all, i, phase)});
  }

  /// Executions per execution of the outer section, over that of the whole run. What was not
  /// observed counts as half an observation.
  double nestedIn(const std::vector<Observed> &all, std::size_t section, std::size_t phase) const {
    const auto outer = network.sections[section].inside;
    if (!outer || all[*outer].count[phase] <= 0 || all[section].countOfAll() <= 0)
      return 1;
    const double here = std::max(all[section].count[phase], 0.5) / all[*outer].count[phase];
    return here * all[*outer].countOfAll() / all[section].countOfAll();
  }

  void addTransitions(std::size_t networkClass) {
    std::vector<Observed> sections(network.sections.size(), Observed(count));
    Observed locals(count);
    for (std::size_t window = 0; window < profile.windows.size(); ++window) {
      for (const ProfiledWindow::Section &in : profile.windows[window].sections) {
        const auto place = placement.places[in.section];
        if (place && classes[profile.sections[in.section].threadClass] == networkClass)
          observe(window, in, sections[*place]);
      }
      for (const ProfiledWindow::Threads &threads : profile.windows[window].threads)
        if (classes[threads.threadClass] == networkClass)
          for (std::size_t phase = 0; phase < count; ++phase)
            locals.ns[phase] +=
                threads.localNs * windows.localShare(phase, window, threads.threadClass);
    }
    std::vector<Transition> own;
    std::vector<std::size_t> index;
    for (std::size_t k = 0; k < network.transitions.size(); ++k)
      if (const Transition &each = network.transitions[k]; each.threadClass == networkClass) {
        if (sections[each.from].countOfAll() <= 0 || sections[each.to].countOfAll() <= 0)
          return; // the windows are not of all that was recorded
        own.push_back(each);
        index.push_back(k);
      }
    Flows flows = splitTransitions(own, sections, count);
    for (std::size_t phase = 0; phase < count; ++phase)
      pruneDeadEnds(own, phase, flows);
    const Flows rows = flowsAt(&Transition::from, own, flows, sections.size());
    // What threads compute in a phase is known as a sum: all local times are so much longer there.
    for (std::size_t k = 0; k < own.size(); ++k)
      for (std::size_t phase = 0; phase < count; ++phase)
        locals.count[phase] += flows[k][phase] * own[k].local.mean;
    for (std::size_t k = 0; k < own.size(); ++k)
      for (std::size_t phase = 0; phase < count; ++phase) {
        const double row = rows[own[k].from][phase];
        network.transitions[index[k]].phases.push_back(
            {row > 0 ? flows[k][phase] / row : 0, locals.meanIn(phase)});
      }
  }

  Network &network;
  const Profile &profile;
  const Placement &placement;
  const std::vector<std::optional<std::size_t>> &classes;
  const WindowPhases windows;
  const std::size_t count; ///< of phases
};

} // namespace

std::size_t addPhases(Network &network, const Profile &profile, const Placement &placement,
                      const std::vector<std::optional<std::size_t>> &classes) {
  return PhaseBuilder(network, profile, placement, classes).build();
}

} // namespace qdadvise
