// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock algorithms of `--kind`.
#pragma once

#include "advisor/network/KindChoice.h"
#include "advisor/support/Error.h"

#include <string>
#include <vector>

namespace qdadvise {

/// What `all` stands for, and what the message on an unknown name lists.
enum class KindNames {
  predicted, ///< all algorithms
  advised    ///< those that a program can have: the yardstick is none
};

/// Names of lock algorithms, separated by commas; `all` stands for all of them, and `recorded` for
/// what each lock has today.
Expected<std::vector<KindChoice>> parseKinds(const std::string &text, KindNames names);

} // namespace qdadvise
