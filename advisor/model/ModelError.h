// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far predictions are from the truth where the network is known exactly: the models'
// own errors (docs/theory.md), which no larger sample makes smaller. Relative, one
// standard deviation.
#pragma once

#include "advisor/model/Prediction.h"

#include <functional>
#include <string>
#include <vector>

namespace qdadvise {

/// Of the throughput, from the models of the locks that count. A model errs about waiting: where
/// threads hardly wait, it hardly matters.
double throughputError(const Prediction &prediction, const std::vector<std::string> &kinds,
                       const std::function<bool(std::size_t lock)> &counts);

} // namespace qdadvise
