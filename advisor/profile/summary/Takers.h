// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that one thread has for itself.
#pragma once

#include "advisor/profile/Profile.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// How much of a class's acquisitions, and of the time that its locks were held, whichever is less,
/// is of locks that are one thread's own. None where no run tells: two threads of a class have to
/// take such locks. Locks that have come and gone are taken for shared.
std::optional<double> ownedShare(const Profile &profile, std::size_t lockClass);

/// Whether threads of these thread classes (by thread class) have a lock of this class each, for
/// themselves: 99 % are of owned ones, and most of the threads are owners. So little of the traffic
/// may be that of one lock which all share, or it would matter with a hundred threads.
bool isPerThread(const Profile &profile, std::size_t lockClass, const std::vector<bool> &of);

} // namespace qdadvise
