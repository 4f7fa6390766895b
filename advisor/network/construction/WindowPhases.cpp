// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/construction/WindowPhases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace qdadvise {
namespace {

/// Fewer acquisitions differ by chance. Those inside another section do not count: a single one may
/// have thousands inside, and each thread is in it for the whole phase.
constexpr double fewestAcquisitions = 1000;
constexpr std::size_t mostPhases = 4;
/// Parts of a run are told apart where threads spend more than this share of the whole run's time
/// elsewhere than they would if the parts were one (RPH1).
constexpr double worthAPhase = 0.05;

RunPart partOf(const Profile &profile, std::size_t window, const std::vector<bool> &scales) {
  RunPart part(profile.sections.size() + profile.threadClasses.size());
  part.windows = {window};
  for (const ProfiledWindow::Section &in : profile.windows[window].sections) {
    const std::size_t threadClass = profile.sections[in.section].threadClass;
    if (!scales[threadClass])
      continue;
    if (!profile.sections[in.section].inside)
      part.acquisitions += static_cast<double>(in.acquisitions);
    part.classes.insert(threadClass);
    part.add(in.section, in.holdNs, static_cast<double>(in.acquisitions));
  }
  for (const ProfiledWindow::Threads &threads : profile.windows[window].threads)
    if (scales[threads.threadClass])
      part.add(profile.sections.size() + threads.threadClass, threads.localNs, 0);
  return part;
}

/// The time that threads spend elsewhere than they would, were the two parts one (RPH1).
double differentlyNs(const RunPart &a, const RunPart &b) {
  double distance = 0;
  for (std::size_t i = 0; i < a.places.size(); ++i)
    distance += std::abs(a.shareOf(i) - b.shareOf(i));
  const double both = a.allNs + b.allNs;
  return both > 0 ? distance * a.allNs * b.allNs / both : 0;
}

/// Joins the parts that are most alike, until all that are left differ enough.
class Joiner {
public:
  Joiner(std::vector<RunPart> ofRun, std::size_t scaling)
      : parts(std::move(ofRun)), scalingClasses(scaling), apartNs(parts.size()) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      wholeNs += parts[i].allNs;
      for (std::size_t j = 0; j < i; ++j)
        apartNs[i].push_back(differentlyNs(parts[i], parts[j]));
    }
  }

  std::vector<RunPart> join() {
    while (parts.size() > 1) {
      const bool anyAlone = std::any_of(parts.begin(), parts.end(),
                                        [&](const RunPart &part) { return isAlone(part); });
      const auto [first, second] = mostAlike(anyAlone);
      if (!anyAlone && parts.size() <= mostPhases && apartNs[second][first] > worthAPhase * wholeNs)
        break;
      joinTwo(first, second);
    }
    return std::move(parts);
  }

private:
  /// No network could be made of it.
  bool isAlone(const RunPart &part) const {
    return part.acquisitions < fewestAcquisitions || part.classes.size() < scalingClasses;
  }

  /// The first one comes before the second. With `alone`, one of them is.
  std::pair<std::size_t, std::size_t> mostAlike(bool alone) const {
    std::pair<std::size_t, std::size_t> found;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (apartNs[i][j] < least && (!alone || isAlone(parts[i]) || isAlone(parts[j]))) {
          least = apartNs[i][j];
          found = {j, i};
        }
    return found;
  }

  void joinTwo(std::size_t first, std::size_t second) {
    parts[first].add(parts[second]);
    const auto gone = static_cast<std::ptrdiff_t>(second);
    parts.erase(parts.begin() + gone);
    apartNs.erase(apartNs.begin() + gone);
    for (std::size_t i = second; i < parts.size(); ++i)
      apartNs[i].erase(apartNs[i].begin() + gone);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (i != first)
        apartNs[std::max(i, first)][std::min(i, first)] = differentlyNs(parts[i], parts[first]);
  }

  std::vector<RunPart> parts;
  std::size_t scalingClasses;
  std::vector<std::vector<double>> apartNs; ///< of each part and those before it
  double wholeNs = 0;
};

/// The part of a window that is of the first of two parts, if it is a blend of both: by least
/// squares over where threads spend their time (RPH2).
double blendOf(const RunPart &window, const RunPart &first, const RunPart &second) {
  double along = 0, length = 0;
  for (std::size_t place = 0; place < window.places.size(); ++place) {
    const double between = first.shareOf(place) - second.shareOf(place);
    along += (window.shareOf(place) - second.shareOf(place)) * between;
    length += between * between;
  }
  return length > 0 ? std::clamp(along / length, 0.0, 1.0) : 1;
}

/// The phases of a run, each with all of its windows.
std::vector<RunPart> phasesOf(const Profile &profile, const std::vector<bool> &scales) {
  std::vector<RunPart> parts;
  std::set<std::size_t> classes;
  for (std::size_t window = 0; window < profile.windows.size(); ++window) {
    parts.push_back(partOf(profile, window, scales));
    classes.insert(parts.back().classes.begin(), parts.back().classes.end());
  }
  return Joiner(std::move(parts), classes.size()).join();
}

} // namespace

void RunPart::add(const RunPart &other) {
  windows.insert(windows.end(), other.windows.begin(), other.windows.end());
  acquisitions += other.acquisitions;
  classes.insert(other.classes.begin(), other.classes.end());
  for (std::size_t i = 0; i < places.size(); ++i)
    add(i, other.places[i].ns, other.places[i].count);
}

void RunPart::add(std::size_t place, double ns, double count) {
  places[place].ns += ns;
  places[place].count += count;
  allNs += ns;
}

WindowPhases::WindowPhases(const Profile &profile, const std::vector<bool> &scales)
    : sections(profile.sections.size()), mostly(profile.windows.size(), 0),
      phases(phasesOf(profile, scales)) {
  for (std::size_t phase = 0; phase < phases.size(); ++phase)
    for (const std::size_t window : phases[phase].windows)
      mostly[window] = phase;
  // A phase is like those of its windows that have windows of it on both sides, if it has such.
  std::vector<bool> hasInner;
  for (RunPart &phase : phases) {
    RunPart inner(phase.places.size());
    for (const std::size_t window : phase.windows)
      if (neighborOf(window) == mostly[window])
        inner.add(partOf(profile, window, scales));
    hasInner.push_back(inner.allNs > 0);
    if (hasInner.back())
      phase = std::move(inner);
  }
  for (std::size_t window = 0; window < mostly.size(); ++window)
    if (const std::size_t own = mostly[window], other = neighborOf(window);
        own != other && hasInner[own])
      blends[window] = {other,
                        blendOf(partOf(profile, window, scales), phases[own], phases[other])};
}

/// The phase that goes on before or after a window, if it is another one.
std::size_t WindowPhases::neighborOf(std::size_t window) const {
  const std::size_t own = mostly[window];
  if (window > 0 && mostly[window - 1] != own)
    return mostly[window - 1];
  return window + 1 < mostly.size() ? mostly[window + 1] : own;
}

double WindowPhases::share(double RunPart::AtPlace::*figure, std::size_t phase, std::size_t window,
                           std::size_t place) const {
  const std::size_t own = mostly[window];
  const auto found = blends.find(window);
  if (found == blends.end())
    return phase == own ? 1 : 0;
  const Blend &blend = found->second;
  const double here = blend.own * phases[own].rateOf(figure, place);
  const double there = (1 - blend.own) * phases[blend.other].rateOf(figure, place);
  const double ofOwn = here + there > 0 ? here / (here + there) : 1;
  return phase == own ? ofOwn : phase == blend.other ? 1 - ofOwn : 0;
}

} // namespace qdadvise
