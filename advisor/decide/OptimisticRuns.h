// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How often critical sections run until one is through, where they run without their lock and
// again after a conflict: Roy, Hand and Harris, HotPar 2009, section 2.3, with those who complete
// meanwhile for the number of those who would wait.
#pragma once

#include "advisor/decide/Search.h"
#include "advisor/model/Prediction.h"

#include <vector>

namespace qdadvise {

/// By section of the network, of those that take the lock; >= 1. `conflicts`, by section: p_c
/// (Conflicts::probability). `kinds` has `ideal` at the lock. Empty: so many conflicts that the
/// figures do not settle.
std::vector<double> optimisticRuns(const Network &network, std::size_t lock,
                                   const std::vector<double> &conflicts, const Assignment &kinds,
                                   const Machine &machine, int threads,
                                   const PredictOptions &options);

} // namespace qdadvise
