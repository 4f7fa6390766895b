// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One profile out of several runs of one program.
#pragma once

#include "advisor/profile/Profile.h"

#include <memory>
#include <vector>

namespace qdadvise {

/// Sums what belongs together: sites, lock classes and thread classes by their place in
/// the source, sections by those and what they are nested in. The locks of a class are
/// matched by rank of their traffic, for an address means nothing in another process. Durations add
/// up, windows stay where they were in time. The result does not depend on the order of
/// `profiles`, nor on whether some of them were merged before, to the byte of its encoding: counts
/// are exact, and so are the moments of times and, within their limits (addedNs), their sums. Fails
/// on no profile at all, and where runs with and without times are mixed.
Expected<Profile> mergeProfiles(const std::vector<Profile> &profiles);

/// The same, run by run, so that not all have to be in memory.
class ProfileMerger {
public:
  ProfileMerger();
  ~ProfileMerger();
  Expected<void> add(const Profile &run);
  Expected<Profile> finish();

private:
  std::unique_ptr<class Merger> merger;
};

/// The same, one after the other as given: sites, sections and so on of the first come first.
Expected<Profile> mergeInOrder(const std::vector<Profile> &profiles);

} // namespace qdadvise
