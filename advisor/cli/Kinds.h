// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lock algorithms of `--kind`.
#pragma once

#include "advisor/support/Error.h"
#include "runtime/abi/lock_algorithms.h"

#include <string>
#include <vector>

namespace qdadvise {

/// Names of lock algorithms, separated by commas; `all` stands for all of them.
Expected<std::vector<LockKind>> parseKinds(const std::string &text);

} // namespace qdadvise
