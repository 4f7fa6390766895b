// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the measurements of a calibration have in common: samples, and their median and spread.
#pragma once

#include "advisor/machine/KindCosts.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// How long to measure. A sample is a batch of operations, or one event.
struct Effort {
  int samples = 0;
};

/// The median and the interquartile range; absent where there are no samples.
std::optional<Figure> summarize(std::vector<double> samples);

/// The same of times that come in several modes, such as wake-ups of a core that sleeps or not: the
/// mean, and half the range of a uniform distribution that varies as much. A median is one of the
/// modes, and says nothing of the others.
std::optional<Figure> summarizeModes(std::vector<double> samples);

} // namespace qdadvise
