// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was predicted of the change that is verified.
#pragma once

#include "advisor/support/Error.h"
#include "advisor/verify/Verification.h"

#include <string>
#include <vector>

namespace qdadvise {

struct GainSources {
  std::string advice;                ///< path; "": nothing is known
  std::vector<std::string> profiles; ///< none: what the advice says, for its number of threads
  std::string machine;               ///< as of --machine
};

/// Sets the predictions, and adds notes on those that there are none of.
Expected<void> addPredictions(Verification &verification, const GainSources &sources);

} // namespace qdadvise
