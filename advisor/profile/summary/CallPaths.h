// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites that a profile tells apart by the call paths that reach them. Only reports look at call
// paths; for everything else, sites that differ in them only are one.
#pragma once

#include "advisor/profile/Profile.h"
#include "advisor/profile/summary/Summary.h"

namespace qdadvise {

/// Returns the profile without call paths: sites that differ in them only are one.
Profile withoutPaths(const Profile &profile);

/// Adds the call paths to the sites of a summary of `withoutPaths(profile)`.
void addPaths(ProfileSummary &summary, const Profile &pathless, const Profile &profile);

} // namespace qdadvise
