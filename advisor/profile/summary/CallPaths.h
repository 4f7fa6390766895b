// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sites that a profile tells apart by the call paths that reach them. Only a report looks
// at those; for everything else the paths of a site are one.
#pragma once

#include "advisor/profile/Profile.h"
#include "advisor/profile/summary/Summary.h"

namespace qdadvise {

/// The same without call paths: sites that differ in them only are one.
Profile withoutPaths(const Profile &profile);

/// Gives the sites of a summary of `withoutPaths(profile)` their paths.
void addPaths(ProfileSummary &summary, const Profile &pathless, const Profile &profile);

} // namespace qdadvise
