// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/advice/LockApis.h"

#include <vector>

namespace qdadvise {

/// The entries of config/lock_apis.toml, the file that comes with the plugin.
const std::vector<LockApiEntry> &bundledLockApis();

} // namespace qdadvise
