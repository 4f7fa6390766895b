// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/construction/RunPhases.h"

#include "advisor/network/Validation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

namespace qdadvise {
namespace {

/// Fewer acquisitions differ by chance.
constexpr double fewestAcquisitions = 1000;
constexpr std::size_t mostPhases = 4;
/// Parts of a run are told apart where threads spend more than this share of the whole run's time
/// elsewhere than they would if the parts were one (RPH1).
constexpr double worthAPhase = 0.05;

/// Windows that belong together, and where the threads that scale spend their time in them.
struct Part {
  std::vector<std::size_t> windows;
  double acquisitions = 0;
  std::set<std::size_t> classes; ///< of the profile, that acquire locks
  struct AtPlace {
    double ns = 0, count = 0;
  };
  std::map<std::size_t, AtPlace> places; ///< sections, and local computation
  double allNs = 0;

  void add(const Part &other) {
    windows.insert(windows.end(), other.windows.begin(), other.windows.end());
    acquisitions += other.acquisitions;
    classes.insert(other.classes.begin(), other.classes.end());
    for (const auto &[place, at] : other.places)
      add(place, at.ns, at.count);
  }
  void add(std::size_t place, double ns, double count) {
    places[place].ns += ns;
    places[place].count += count;
    allNs += ns;
  }
  /// A figure of a place, per nanosecond.
  double rateOf(double AtPlace::*figure, std::size_t place) const {
    const auto found = places.find(place);
    return found == places.end() || allNs <= 0 ? 0 : found->second.*figure / allNs;
  }
  double shareOf(std::size_t place) const { return rateOf(&AtPlace::ns, place); }
};

/// The places of any of these parts.
std::set<std::size_t> placesOf(std::initializer_list<const Part *> parts) {
  std::set<std::size_t> result;
  for (const Part *part : parts)
    for (const auto &[place, at] : part->places)
      result.insert(place);
  return result;
}

/// Local computation has the places after those of sections.
std::size_t localPlace(const Profile &profile, const ProfiledWindow::Threads &threads) {
  return profile.sections.size() + threads.threadClass;
}

Part partOf(const Profile &profile, std::size_t window, const std::vector<bool> &scales) {
  Part part;
  part.windows = {window};
  for (const ProfiledWindow::Section &in : profile.windows[window].sections) {
    const std::size_t threadClass = profile.sections[in.section].threadClass;
    if (!scales[threadClass])
      continue;
    part.acquisitions += static_cast<double>(in.acquisitions);
    part.classes.insert(threadClass);
    part.add(in.section, in.holdNs, static_cast<double>(in.acquisitions));
  }
  for (const ProfiledWindow::Threads &threads : profile.windows[window].threads)
    if (scales[threads.threadClass])
      part.add(localPlace(profile, threads), threads.localNs, 0);
  return part;
}

/// The time that threads spend elsewhere than they would, were the two parts one (RPH1).
double differentlyNs(const Part &a, const Part &b) {
  double distance = 0;
  for (const std::size_t place : placesOf({&a, &b}))
    distance += std::abs(a.shareOf(place) - b.shareOf(place));
  const double both = a.allNs + b.allNs;
  return both > 0 ? distance * a.allNs * b.allNs / both : 0;
}

/// Joins the parts that are most alike, until all that are left differ enough.
std::vector<Part> joined(std::vector<Part> parts, std::size_t scalingClasses) {
  double wholeNs = 0;
  for (const Part &part : parts)
    wholeNs += part.allNs;
  const auto isAlone = [&](const Part &part) { // no network could be made of it
    return part.acquisitions < fewestAcquisitions || part.classes.size() < scalingClasses;
  };
  while (parts.size() > 1) {
    const bool anyAlone = std::any_of(parts.begin(), parts.end(), isAlone);
    double least = std::numeric_limits<double>::infinity();
    std::pair<std::size_t, std::size_t> alike;
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (!anyAlone || isAlone(parts[i]) || isAlone(parts[j]))
          if (const double ns = differentlyNs(parts[i], parts[j]); ns < least) {
            least = ns;
            alike = {j, i};
          }
    if (!anyAlone && parts.size() <= mostPhases && least > worthAPhase * wholeNs)
      break;
    parts[alike.first].add(parts[alike.second]);
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(alike.second));
  }
  return parts;
}

double sumOf(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The part of a window that is of the first of two parts, if it is a blend of both: by least
/// squares over where threads spend their time (RPH2).
double blendOf(const Part &window, const Part &first, const Part &second) {
  double along = 0, length = 0;
  for (const std::size_t place : placesOf({&window, &first, &second})) {
    const double between = first.shareOf(place) - second.shareOf(place);
    along += (window.shareOf(place) - second.shareOf(place)) * between;
    length += between * between;
  }
  return length > 0 ? std::clamp(along / length, 0.0, 1.0) : 1;
}

/// Which phase what was observed in a window belongs to. A phase ends somewhere within a window:
/// the windows there are divided among both phases.
class PhasesOfWindows {
public:
  PhasesOfWindows(const Profile &profile, const std::vector<bool> &scales)
      : phaseOf(phasesOfWindows(profile, scales)) {
    if (!phaseOf.empty())
      phases.resize(*std::max_element(phaseOf.begin(), phaseOf.end()) + 1);
    const auto addTo = [&](std::vector<Part> &parts, std::size_t window) {
      parts[phaseOf[window]].add(partOf(profile, window, scales));
    };
    std::vector<Part> all(phases.size());
    for (std::size_t window = 0; window < phaseOf.size(); ++window) {
      addTo(all, window);
      if (neighborOf(window) == phaseOf[window])
        addTo(phases, window);
    }
    std::vector<bool> hasInner;
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      hasInner.push_back(phases[phase].allNs > 0);
      if (!hasInner.back())
        phases[phase] = all[phase];
    }
    for (std::size_t window = 0; window < phaseOf.size(); ++window)
      if (const std::size_t own = phaseOf[window], other = neighborOf(window);
          own != other && hasInner[own])
        blends[window] = {other,
                          blendOf(partOf(profile, window, scales), phases[own], phases[other])};
  }

  std::size_t count() const { return std::max<std::size_t>(1, phases.size()); }

  /// The share of a phase in a figure of a window at a place (RPH2).
  double shareOf(double Part::AtPlace::*figure, std::size_t phase, std::size_t window,
                 std::size_t place) const {
    const std::size_t own = phaseOf[window];
    const auto found = blends.find(window);
    if (found == blends.end())
      return phase == own ? 1 : 0;
    const Blend &blend = found->second;
    const double here = blend.own * phases[own].rateOf(figure, place);
    const double there = (1 - blend.own) * phases[blend.other].rateOf(figure, place);
    const double ofOwn = here + there > 0 ? here / (here + there) : 1;
    return phase == own ? ofOwn : phase == blend.other ? 1 - ofOwn : 0;
  }

private:
  struct Blend {
    std::size_t other = 0;
    double own = 1;
  };
  /// The phase that goes on before or after a window, if it is another one.
  std::size_t neighborOf(std::size_t window) const {
    const std::size_t own = phaseOf[window];
    if (window > 0 && phaseOf[window - 1] != own)
      return phaseOf[window - 1];
    return window + 1 < phaseOf.size() ? phaseOf[window + 1] : own;
  }

  std::vector<std::size_t> phaseOf;
  std::vector<Part> phases;            ///< of the windows that are of one phase only
  std::map<std::size_t, Blend> blends; ///< by window
};

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
      : network(target), profile(source), placement(places), classes(networkClasses) {}

  std::size_t build() {
    std::vector<bool> scales;
    for (const std::optional<std::size_t> &at : classes)
      scales.push_back(at && network.classes[*at].scales);
    windows.emplace(profile, scales);
    count = windows->count();
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
  /// Adds what windows say of a section of the profile.
  void observe(std::size_t window, const ProfiledWindow::Section &in, Observed &observed) const {
    for (std::size_t phase = 0; phase < count; ++phase) {
      const auto shareOf = [&](double Part::AtPlace::*figure) {
        return windows->shareOf(figure, phase, window, in.section);
      };
      observed.count[phase] +=
          shareOf(&Part::AtPlace::count) * static_cast<double>(in.acquisitions);
      observed.ns[phase] += shareOf(&Part::AtPlace::ns) * in.holdNs;
    }
  }

  void addSections() {
    std::vector<Observed> all(network.sections.size(), Observed(count));
    Observed scaling(count); // acquisitions of the classes that scale
    for (std::size_t window = 0; window < profile.windows.size(); ++window)
      for (const ProfiledWindow::Section &in : profile.windows[window].sections) {
        const auto place = placement.places[in.section];
        const auto at = classes[profile.sections[in.section].threadClass];
        if (!place || !at)
          continue;
        observe(window, in, all[*place]);
        if (network.classes[*at].scales)
          observe(window, in, scaling);
      }
    for (std::size_t phase = 0; phase < count; ++phase)
      network.phases.push_back(scaling.shareOf(phase));
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
                threads.localNs *
                windows->shareOf(&Part::AtPlace::ns, phase, window, localPlace(profile, threads));
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
  std::optional<PhasesOfWindows> windows;
  std::size_t count = 1; ///< of phases
};

} // namespace

std::vector<std::size_t> phasesOfWindows(const Profile &profile, const std::vector<bool> &scales) {
  std::vector<Part> parts;
  std::set<std::size_t> classes;
  for (std::size_t window = 0; window < profile.windows.size(); ++window) {
    parts.push_back(partOf(profile, window, scales));
    classes.insert(parts.back().classes.begin(), parts.back().classes.end());
  }
  std::vector<std::size_t> result(profile.windows.size(), 0);
  const std::vector<Part> phases = joined(std::move(parts), classes.size());
  for (std::size_t phase = 0; phase < phases.size(); ++phase)
    for (const std::size_t window : phases[phase].windows)
      result[window] = phase;
  return result;
}

std::size_t addPhases(Network &network, const Profile &profile, const Placement &placement,
                      const std::vector<std::optional<std::size_t>> &classes) {
  return PhaseBuilder(network, profile, placement, classes).build();
}

} // namespace qdadvise
