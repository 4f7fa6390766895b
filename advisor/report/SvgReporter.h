// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture of predictions: throughput against the number of threads.
#pragma once

#include "advisor/report/Reporter.h"

#include <string>

namespace qdadvise {

class SvgReporter : public Reporter {
public:
  std::string writePrediction(const PredictionReport &report) const override;
};

} // namespace qdadvise
