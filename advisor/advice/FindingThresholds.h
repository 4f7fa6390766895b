// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From where on a figure of a lock is a finding: `[findings]` of `.qdadvise.toml`. The
// defaults of the first five are SyncPerf's (Alam, Liu, Zeng, Muzahid, EuroSys 2017), but
// for that of failed tries, for which it gives none.
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
};

} // namespace qdadvise
