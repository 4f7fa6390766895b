// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the time of a recorded run divides between what more threads would share and what not.
#pragma once

#include "advisor/network/Network.h"
#include "advisor/profile/Profile.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// What main does while none of the threads that scale lives, it does alone; where it is main that
/// scales, what comes before and after what it repeats (`outsideNs`). How long several threads
/// lived together is not recorded: as long as each of them on average, or as long as main was
/// blocked, whichever is more. `scales` says it of the profile's thread classes. None: the profile
/// does not tell.
std::optional<Run> measuredRun(const Profile &profile, const std::vector<bool> &scales,
                               double outsideNs);

} // namespace qdadvise
