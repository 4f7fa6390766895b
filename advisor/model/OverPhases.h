// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Figures of a run from those of its phases (docs/theory/run-phases.md).
#pragma once

#include "advisor/model/Prediction.h"
#include "advisor/network/Network.h"

#include <vector>

namespace qdadvise {

/// Returns how many sections the threads of the classes that scale complete per second. A class
/// with a fixed number of threads does not do more work with more of the others: of a main thread
/// that polls, one hears all the same. Simulations do not tell classes apart: there it is what all
/// threads complete.
double scalingThroughput(const Network &network, const Prediction &prediction);

/// The share of each phase in the time of a run that goes through them, with these predictions
/// (RPH3).
std::vector<double> timeInPhases(const Network &network, const std::vector<Prediction> &phases);

/// The figures of the run as a whole (RPH4). `phases` are predictions of the network's phases with
/// the same algorithms and threads, and become those of the result.
Prediction overPhases(const Network &network, std::vector<Prediction> phases);

/// A throughput, speed-up or gain of the run as a whole is so many times that of the prediction
/// from which `times` are (timeInPhases), if in each phase it is `ratios` times as much.
double ratioOverPhases(const std::vector<double> &times, const std::vector<double> &ratios);

} // namespace qdadvise
