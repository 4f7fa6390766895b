// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From where on a figure of a lock is a finding: `[findings]` of `.qdadvise.toml`. A threshold is a
// member and a row of the table below. The defaults of the first five are SyncPerf's (Alam, Liu,
// Zeng, Muzahid, EuroSys 2017), except that of failed tries, for which it gives none; nor does it
// for those of a memory trace.
#pragma once

#include <limits>

namespace qdadvise {

struct FindingThresholds {
  double contentionRate = 0.10;   ///< share of the acquisitions that found the lock taken
  double acquisitionsPerS = 1000; ///< of all threads; a run counts as one second at least
  double lockingShare = 0.01;     ///< of the threads' time, that locking takes where nobody waits
  double tryFailureRate = 0.10;   ///< share of the tries
  double asymmetry = 2;           ///< highest contention rate over the lowest, in one class
  double imbalance = 0.20;        ///< of a thread's time
  double leastAcquisitions = 10;  ///< below, a rate says nothing
  double shortSectionNs = 1000;   ///< a section up to this is a small one
  // The rest is for memory traces.
  double largeSection = 200;   ///< instructions; a section from this on is a large one
  double smallSection = 30;    ///< and up to this a small one
  double sharedShare = 0.05;   ///< of the instructions: those that access shared memory
  double writtenShare = 0.10;  ///< cache lines written per execution
  double manyLines = 64;       ///< cache lines that a lock protects
  double rareConflicts = 0.05; ///< probability that of two executions one spoils the other
};

/// The key of a threshold in the file, and what it may be set to.
struct FindingThresholdKey {
  const char *name;
  double FindingThresholds::*value;
  double least = 0, most = std::numeric_limits<double>::infinity();
};
inline constexpr FindingThresholdKey findingThresholds[] = {
    {"acquisitions_per_s", &FindingThresholds::acquisitionsPerS},
    {"asymmetry", &FindingThresholds::asymmetry, 1},
    {"contention_rate", &FindingThresholds::contentionRate, 0, 1},
    {"imbalance", &FindingThresholds::imbalance, 0, 1},
    {"large_section", &FindingThresholds::largeSection},
    {"least_acquisitions", &FindingThresholds::leastAcquisitions, 1},
    {"locking_share", &FindingThresholds::lockingShare, 0, 1},
    {"many_lines", &FindingThresholds::manyLines, 1},
    {"rare_conflicts", &FindingThresholds::rareConflicts, 0, 1},
    {"shared_share", &FindingThresholds::sharedShare, 0, 1},
    {"short_section_ns", &FindingThresholds::shortSectionNs},
    {"small_section", &FindingThresholds::smallSection},
    {"try_failure_rate", &FindingThresholds::tryFailureRate, 0, 1},
    {"written_share", &FindingThresholds::writtenShare, 0, 1},
};

} // namespace qdadvise
