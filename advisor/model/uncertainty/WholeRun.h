// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From critical sections to the whole run: Amdahl's law, with the solved network for the
// part that scales.
#pragma once

#include "advisor/model/Predict.h"
#include "advisor/model/uncertainty/Gain.h"
#include "advisor/network/Network.h"

#include <string>
#include <vector>

namespace qdadvise {

struct WholeRun {
  double speedup = 1;     ///< over one thread with the same locks
  double serialShare = 0; ///< of its time
};

/// Where the sections have this speed-up, and `recorded` with the threads of the recorded run.
WholeRun wholeRun(const Run &run, double speedup, double recorded);

/// What a gain in throughput is of the whole run, of which this share is serial before.
GainInterval ofWholeRun(const GainInterval &gain, double serialShare);

/// The speed-up that algorithms have with the threads of the recorded run, which the network
/// has; 1 for one thread.
Expected<double> recordedSpeedup(const Network &network, const std::vector<std::string> &kinds,
                                 const Machine &machine, const PredictOptions &options);

} // namespace qdadvise
