// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock algorithms of `--kind`.
#pragma once

#include "advisor/support/Error.h"

#include <string>
#include <vector>

namespace qdadvise {

/// What a command does with lock algorithms. Those with a model can be predicted; some others can
/// be simulated.
enum class KindUse { predicted, simulated };
/// Names of lock algorithms, separated by commas; `all` stands for all that can be used so.
Expected<std::vector<std::string>> parseKinds(const std::string &text,
                                              KindUse use = KindUse::predicted);

} // namespace qdadvise
