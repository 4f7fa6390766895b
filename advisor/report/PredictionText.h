// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/report/PredictionReport.h"
#include "advisor/support/TextStyle.h"

#include <string>

namespace qdadvise {

/// A table for the program and one per lock, at most 80 columns wide.
std::string predictionText(const PredictionReport &report, const TextStyle &style);

} // namespace qdadvise
