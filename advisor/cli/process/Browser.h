// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/support/Error.h"

#include <string>

namespace qdadvise {

/// Shows a file with the command that BROWSER names, else with what the desktop has. Fails where
/// there is neither.
Expected<void> openInBrowser(const std::string &path);

} // namespace qdadvise
