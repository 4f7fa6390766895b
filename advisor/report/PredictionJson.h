// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/report/PredictionReport.h"

#include <nlohmann/json.hpp>

namespace qdadvise {

/// The schema is in docs/reference/formats.md.
nlohmann::ordered_json predictionJson(const PredictionReport &report);
/// What it has for each algorithm, of predictions for the same numbers of threads.
nlohmann::ordered_json kindJson(const PredictionReport &report, const KindPredictions &of);

} // namespace qdadvise
