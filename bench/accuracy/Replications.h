// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A case that is simulated several times, with different random numbers. Where threads settle in
// one of several states for a whole simulation, only another simulation shows the other states: the
// intervals of a single run do not.
#pragma once

#include "bench/accuracy/Results.h"

#include <vector>

namespace qdadvise::accuracy {

/// A waiting time is known if the half-width of its interval is at most this share of it. This is a
/// mean error of 5 % with three replications, and of 10 % with many, as much as the models' errors.
inline constexpr double knownWaitShare = 0.25;

/// The means of the replications, of which there is at least one, and which have the same locks. A
/// half-width is that of the mean of the single intervals, or Student's from the variation between
/// replications, whichever is more. Locks whose waiting time would be scored but is not known in
/// this sense are `chance`.
Simulated combine(const std::vector<Simulated> &replications);

} // namespace qdadvise::accuracy
