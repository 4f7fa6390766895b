// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads go from one run, how long they stay there from another: some programs
// take locks only when they have company, and only a run alone has times without waiting.
#pragma once

#include "advisor/profile/Profile.h"

#include <string>
#include <vector>

namespace qdadvise {

struct ProfileWithVisits {
  Profile profile;
  /// What had to be guessed, and which run would tell; for people.
  std::vector<std::string> notes;
};

/// The profile `timed` with the visit ratios of `counting`, a run of the same program that
/// may have more threads and no times. From `counting`: which sections ran, in which
/// thread classes, how often, within which others and followed by which; and the locks'
/// traffic. From `timed`: holding and local times, windows, the length of the run.
///
/// A time that `timed` lacks is, in this order, that of the same place in the source in
/// another thread class of `timed`, and that of `counting` if it has times. A holding time
/// that neither has stays out. A local time is then the mean of those that leave the same
/// section, of those that enter the next one, of all.
///
/// Fails where `timed` has no times, and where the two have no section in common.
Expected<ProfileWithVisits> withVisits(const Profile &timed, const Profile &counting);

} // namespace qdadvise
