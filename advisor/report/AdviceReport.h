// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `qdadvise advise` says: what was decided, and for what.
#pragma once

#include "advisor/advice/AdviceFile.h"
#include "advisor/decide/Decision.h"
#include "advisor/decide/WhatIf.h"
#include "advisor/report/PredictionReport.h"
#include "advisor/report/ProfileReport.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace qdadvise {

struct AdviceReport {
  Decisions decisions;
  std::vector<WhatIf> whatIfs; ///< by lock
  Network network;
  std::string program, machine; ///< as they are shown to people
  int threads = 0, cores = 0;
  std::vector<std::string> notes; ///< on the network and the figures
  /// The locks whose derivation the text has; then it is a screen for all others. None: of all.
  std::optional<std::set<std::size_t>> explained;
  /// The gain of all changes at once in the time of the whole run; none where it is not known what
  /// else the program does.
  struct Whole {
    GainInterval gain;
    double serialShare = 0;              ///< share of the run's time today, with these threads
    std::string serial;                  ///< what runs then
    RunLimit limit = RunLimit::sections; ///< with all changes
  };
  std::optional<Whole> whole;
  /// With today's locks, by number of threads up to `threads`; empty where changes are advised.
  struct ScalingPoint {
    int threads = 0;
    double speedup = 0; ///< over one thread
  };
  std::vector<ScalingPoint> scaling;
  /// What is predicted for several numbers of threads; none for formats that do not show it.
  struct Curves {
    PredictionReport everywhere; ///< each algorithm at every lock
    KindPredictions today;
    std::optional<KindPredictions> advised; ///< none where every lock is kept
  };
  std::optional<Curves> curves;
  std::optional<ProfileReport> measured; ///< none where the network is not made from a profile
  AdviceFile file;                       ///< the same decisions, by lock site
  /// Indices of advice to change in the file, of which the compiler says nothing.
  std::vector<std::size_t> suppressedSites;
};

} // namespace qdadvise
