// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/decide/Findings.h"
#include "advisor/support/TextStyle.h"

#include <string>
#include <vector>

namespace qdadvise {

/// What is wrong with the locks of a run, and what to do about it. Empty where nothing is.
std::string findingsText(const std::vector<Finding> &findings, const Profile &profile,
                         const TextStyle &style);

} // namespace qdadvise
