// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that are no more, as they would be told of one run.
#pragma once

#include "advisor/profile/Profile.h"

#include <vector>

namespace qdadvise {

/// As many as there were in a run: where runs were merged, those of one run on average, each with
/// the traffic and the times of all runs. One that every run made is one lock, as one is that
/// was alive at each run's end. By class, the least busy first.
std::vector<ProfiledInstances> closedLocksOfARun(const Profile &profile);

} // namespace qdadvise
