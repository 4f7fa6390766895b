// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Advice in the words of an editor: a line above a site, and what is shown beside the pointer.
#pragma once

#include "advisor/advice/Advice.h"

#include <string>
#include <vector>

namespace qdadvise {

/// The verdict on one line.
std::string verdictLine(const Advice &advice, bool stale);

/// Markdown: the verdict, figures by number of threads, waiting times, the reasons.
std::string hoverText(const Advice &advice, bool stale);

/// The derivation as plain text.
std::string explanation(const Advice &advice, bool stale);

/// A column for each value, the greatest of which is the highest: `▁▃▆█`.
std::string sparkline(const std::vector<double> &values);

} // namespace qdadvise
