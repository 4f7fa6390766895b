// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one profile of several runs of one program.
#pragma once

#include "advisor/profile/Profile.h"

#include <memory>
#include <vector>

namespace qdadvise {

/// Sums what belongs together: sites, lock classes and thread classes by their place in the source,
/// and sections by these and by what they are nested in. The locks of a class are matched by the
/// rank of their traffic, since an address means nothing in another process. Durations add up;
/// windows keep their place in time. The encoding of the result does not depend on the order of
/// `profiles`, nor on whether some of them were merged before: counts are exact, and so are the
/// moments of times and, within the limits of addedNs, sums of times. Fails without a profile, and
/// where runs with and without times are mixed.
Expected<Profile> mergeProfiles(const std::vector<Profile> &profiles);

/// Does the same run by run, so that not all profiles have to be in memory.
class ProfileMerger {
public:
  ProfileMerger();
  ~ProfileMerger();
  Expected<void> add(const Profile &run);
  Expected<Profile> finish();

private:
  std::unique_ptr<class Merger> merger;
};

/// Does the same, but keeps the order of `profiles`: sites, sections and so on of the first come
/// first.
Expected<Profile> mergeInOrder(const std::vector<Profile> &profiles);

} // namespace qdadvise
