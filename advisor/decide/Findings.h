// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds in the measurements of a run what is wrong with the use of locks and the distribution of
// threads, as SyncPerf does (Alam, Liu, Zeng, Muzahid, EuroSys 2017, sections 2 and 3.1).
// docs/reference/findings.md says what each finding means.
#pragma once

#include "advisor/advice/FindingThresholds.h"
#include "advisor/decide/RootCauses.h"
#include "advisor/profile/summary/Summary.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

/// The quadrants of contention rate and acquisitions per second (SyncPerf, figure 1).
enum class Quadrant {
  q1 = 1, ///< contended, but not acquired often
  q2 = 2, ///< contended and acquired often
  q3 = 3, ///< neither: no problem
  q4 = 4, ///< acquired often, hardly contended
};

/// The quadrant of a lock or a site in a run of `durationNs`.
Quadrant quadrantOf(std::uint64_t acquisitions, std::uint64_t contended, double durationNs,
                    const FindingThresholds &thresholds, double recordedShare = 1);

/// Threads of one class, in a finding about how they share the work.
struct ThreadsOfClass {
  std::string name;
  std::uint32_t threads = 0; ///< alive at once
  double computing = 0;      ///< share of their time, summed over the threads
  double waiting = 0;        ///< share of their time at locks, conditions, barriers and joins
  double exact = 0;          ///< threads in proportion to the computation
  std::uint32_t best = 0;    ///< rounded, one at least
};

struct Finding {
  const char *id = ""; ///< of its kind; stable
  Symptom symptom = {};
  std::optional<Quadrant> quadrant;
  std::string lock;                ///< its name in reports; "" where it is not about one
  std::vector<std::size_t> sites;  ///< indices in the profile, where most is lost first
  std::vector<std::string> places; ///< `file:line` of these, or of start routines
  std::string message;             ///< what was measured, a sentence with its numbers
  std::vector<std::pair<std::string, double>> numbers;
  std::vector<CauseFound> causes;      ///< the surest first
  std::vector<ThreadsOfClass> threads; ///< of a load imbalance
  double lost = 0; ///< share of the threads' time that it costs, as far as that was measured
};

/// The findings of a run, the costliest first. For a lock that only one thread can have taken, only
/// the source is asked.
std::vector<Finding> findingsOf(const Profile &profile, const ProfileSummary &summary,
                                const FindingThresholds &thresholds);

} // namespace qdadvise
