// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One profile out of several runs of one program.
#pragma once

#include "advisor/profile/Profile.h"

#include <vector>

namespace qdadvise {

/// Sums what belongs together: sites, lock classes and thread classes by their place in
/// the source, sections by those and what they are nested in. The locks of a class are
/// matched by rank of their traffic, for an address means nothing in another process. Runs
/// follow each other in time, so durations add up and windows line up behind each other,
/// in the order in which the runs began: that of `profiles` does not matter. Fails on no
/// profile at all, and where runs with and without times are mixed.
Expected<Profile> mergeProfiles(std::vector<Profile> profiles);

/// The same, one after the other as given: sites, sections and so on of the first come first.
Expected<Profile> mergeInOrder(const std::vector<Profile> &profiles);

} // namespace qdadvise
