// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run with few threads has the best times, runs with more threads tell what else they do.
#pragma once

#include "advisor/profile/Profile.h"
#include "advisor/support/Error.h"

#include <string>
#include <vector>

namespace qdadvise {

/// The times of `timed` with the visits of the profiles at `paths`. Says what was left out, and
/// which times are missing.
Expected<Profile> addVisits(const Profile &timed, const std::vector<std::string> &paths);

} // namespace qdadvise
