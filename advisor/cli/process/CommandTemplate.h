// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that have words to be replaced: {threads} stands for the number of threads.
#pragma once

#include "advisor/support/Error.h"

#include <string>
#include <vector>

namespace qdadvise {

/// The command with each `{NAME}` replaced.
std::vector<std::string> filledIn(std::vector<std::string> command, const std::string &name,
                                  const std::string &value);

/// Fails where the command does not say how many threads it is to have.
Expected<void> checkNamesThreads(const std::vector<std::string> &command);

} // namespace qdadvise
