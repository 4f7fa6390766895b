// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/report/compare/ComparisonReport.h"
#include "advisor/support/TextStyle.h"

#include <string>

namespace qdadvise {

/// What has changed, for people: what is worse first, and a sentence for all that has not.
std::string comparisonText(const ComparisonReport &report, const TextStyle &style);

} // namespace qdadvise
