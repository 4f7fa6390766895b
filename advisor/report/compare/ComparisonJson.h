// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `qdadvise diff` says, for programs.
#pragma once

#include "advisor/report/compare/ComparisonReport.h"

#include <nlohmann/json.hpp>

namespace qdadvise {

nlohmann::ordered_json comparisonJson(const ComparisonReport &report);

} // namespace qdadvise
