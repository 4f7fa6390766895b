// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which windows of a run make a phase of it, and what of a window belongs to which phase
// (docs/theory/run-phases.md, (RPH1) and (RPH2)).
#pragma once

#include "advisor/profile/Profile.h"

#include <cstddef>
#include <map>
#include <set>
#include <vector>

namespace qdadvise {

/// Windows that belong together, and where the threads that scale spend their time in them: the
/// places are sections, and after these the local computation of each class.
struct RunPart {
  struct AtPlace {
    double ns = 0, count = 0;
  };
  std::vector<std::size_t> windows;
  double acquisitions = 0;       ///< inside no other section
  std::set<std::size_t> classes; ///< of the profile, that acquire locks
  std::vector<AtPlace> places;
  double allNs = 0;

  explicit RunPart(std::size_t number) : places(number) {}
  void add(const RunPart &other);
  void add(std::size_t place, double ns, double count);
  /// A figure of a place, per nanosecond.
  double rateOf(double AtPlace::*figure, std::size_t place) const {
    return allNs > 0 ? places[place].*figure / allNs : 0;
  }
  double shareOf(std::size_t place) const { return rateOf(&AtPlace::ns, place); }
};

/// A phase ends somewhere within a window: the windows there are divided among both phases.
class WindowPhases {
public:
  /// Puts windows together by where the threads of the classes of `scales` (by thread class of the
  /// profile) spend their time.
  WindowPhases(const Profile &profile, const std::vector<bool> &scales);

  /// 1 where the run is the same throughout, or the windows tell too little.
  std::size_t count() const { return phases.size(); }
  /// The phase that most of a window is of.
  std::size_t phaseOf(std::size_t window) const { return mostly[window]; }

  /// The share of a phase in the acquisitions of a section in a window, and in its holding times.
  double acquisitionShare(std::size_t phase, std::size_t window, std::size_t section) const {
    return share(&RunPart::AtPlace::count, phase, window, section);
  }
  double holdShare(std::size_t phase, std::size_t window, std::size_t section) const {
    return share(&RunPart::AtPlace::ns, phase, window, section);
  }
  /// The same for the local computation of a thread class.
  double localShare(std::size_t phase, std::size_t window, std::size_t threadClass) const {
    return share(&RunPart::AtPlace::ns, phase, window, sections + threadClass);
  }

private:
  struct Blend {
    std::size_t other = 0; ///< the phase beside the window
    double own = 1;        ///< the share of its own phase in the window's time
  };
  double share(double RunPart::AtPlace::*figure, std::size_t phase, std::size_t window,
               std::size_t place) const;
  std::size_t neighborOf(std::size_t window) const;

  std::size_t sections; ///< of the profile
  std::vector<std::size_t> mostly;
  std::vector<RunPart> phases;         ///< of the windows that are of one phase only
  std::map<std::size_t, Blend> blends; ///< by window
};

} // namespace qdadvise
