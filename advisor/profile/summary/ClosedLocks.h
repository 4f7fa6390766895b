// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closed locks, as one run would have them.
#pragma once

#include "advisor/profile/Profile.h"

#include <vector>

namespace qdadvise {

/// The closed locks of one run. Where runs were merged, they are those of a mean run, each with the
/// traffic and the times of all runs: a lock that every run made is one lock, like a lock that was
/// alive at the end of every run. They are sorted by class, the least busy first.
std::vector<ProfiledInstances> closedLocksOfARun(const Profile &profile);

} // namespace qdadvise
