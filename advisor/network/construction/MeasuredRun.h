// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the time of a recorded run divides into a part that more threads would share, and the rest.
#pragma once

#include "advisor/machine/Machine.h"
#include "advisor/network/Network.h"
#include "advisor/profile/Profile.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// The time of threads that scale, before their first section and after their last.
struct TimeAtEnds {
  double leftOutNs = 0; ///< of those that repeat something in between
  double keptNs = 0;    ///< of those that do not
};

/// The time in which one thread of the class was not blocked. It contains waiting for locks.
double busyNs(const ProfiledThreadClass &threads);

/// The serial part is what main does while no thread that scales is alive, or, where main itself
/// scales, what comes before and after what it repeats (`atEnds`). How long several threads were
/// alive together is not recorded; it is taken for their mean life, or for the time that main was
/// blocked, whichever is longer. `scales` is by thread class of the profile; nobody has said so if
/// it is a guess. Absent where the profile does not tell.
std::optional<Run> measuredRun(const Profile &profile, const std::vector<bool> &scales,
                               const TimeAtEnds &atEnds, bool isGuess);

/// What copies of the program took on the machine, if any ran there; else on that with most rounds.
std::optional<RunCopies> measuredCopiesOf(const Profile &profile, const Machine &machine);

} // namespace qdadvise
