// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From where on a figure of a lock is a finding: `[findings]` of `.qdadvise.toml`. The
// defaults of the first five are SyncPerf's (Alam, Liu, Zeng, Muzahid, EuroSys 2017), but
// for that of failed tries, for which it gives none, nor for those of a diagnosis run.
#pragma once

namespace qdadvise {

struct FindingThresholds {
  double contentionRate = 0.10;   ///< share of the acquisitions that found the lock taken
  double acquisitionsPerS = 1000; ///< of all threads; a run counts as one second at least
  double tryFailureRate = 0.10;   ///< share of the tries
  double asymmetry = 2;           ///< highest contention rate over the lowest, in one class
  double imbalance = 0.20;        ///< of a thread's time
  double leastAcquisitions = 10;  ///< below, a rate says nothing
  double shortSectionNs = 1000;   ///< a section up to this is a small one
  // Of a diagnosis run.
  double largeSection = 200;   ///< instructions; a section from this on is a large one
  double smallSection = 30;    ///< and up to this a small one
  double sharedShare = 0.05;   ///< of the instructions: those that access shared memory
  double writtenShare = 0.10;  ///< cache lines written per execution
  double manyLines = 64;       ///< cache lines that a lock protects
  double rareConflicts = 0.05; ///< probability that of two executions one spoils the other
};

} // namespace qdadvise
