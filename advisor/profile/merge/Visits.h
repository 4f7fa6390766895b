// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Takes from one run where threads go, and from another how long they stay there. Some programs
// take locks only when they have several threads, and only a run with one thread has times without
// waiting.
#pragma once

#include "advisor/profile/Profile.h"

#include <string>
#include <vector>

namespace qdadvise {

struct ProfileWithVisits {
  Profile profile;
  /// What had to be guessed, and which run would tell it, for people.
  std::vector<std::string> notes;
};

/// Returns the profile `timed` with the visit ratios of `counting`, a run of the same program that
/// may have more threads and no times. From `counting` come which sections ran, in which thread
/// classes, how often, inside and after which others, and the traffic of locks. From `timed` come
/// holding and local times, windows and the length of the run.
///
/// A time that `timed` lacks is that of the same place in the source in another thread class of
/// `timed`, else that of `counting`, if it has times. A holding time that neither has is left out.
/// A local time that neither has is the mean of those that leave the same section, else of those
/// that enter the next one, else of all.
///
/// Fails where `timed` has no times, and where the two have no section in common.
Expected<ProfileWithVisits> withVisits(const Profile &timed, const Profile &counting);

} // namespace qdadvise
