// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/report/AdviceReport.h"
#include "advisor/support/TextStyle.h"

#include <string>
#include <vector>

namespace qdadvise {

std::string adviceReportText(const AdviceReport &report, const TextStyle &style);

/// What fixes at a lock would gain, a sentence each.
std::vector<std::string> whatIfSentences(const AdviceReport &report, std::size_t lock);
/// The same as paragraphs; "" where there are none.
std::string whatIfText(const AdviceReport &report, std::size_t lock, const TextStyle &style);

} // namespace qdadvise
