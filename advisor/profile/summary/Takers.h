// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that one thread has for itself (its own locks).
#pragma once

#include "advisor/profile/Profile.h"

#include <optional>
#include <vector>

namespace qdadvise {

/// The share of a class's acquisitions, or of the time that its locks were held, whichever is less,
/// that is of locks that are one thread's own. Absent where no run tells.
std::optional<double> ownedShare(const Profile &profile, std::size_t lockClass);

/// Whether each thread of these thread classes has a lock of this class for itself: most of the
/// threads are owners, and 99 % of the traffic is that of their locks. If more were that of one
/// lock that all share, it would matter with a hundred threads. `of` is by thread class.
bool isPerThread(const Profile &profile, std::size_t lockClass, const std::vector<bool> &of);

/// What these thread classes do with locks of a class that are the thread's own.
struct OwnTraffic {
  double share = 0; ///< of their acquisitions; 0 where most threads have none, or it is not known
  double ownHoldNs = 0, sharedHoldNs = 0; ///< means, with the sections nested inside
};

/// Of the thousands of locks of a structure that threads divide among themselves, few are taken by
/// two.
OwnTraffic ownTraffic(const Profile &profile, std::size_t lockClass, const std::vector<bool> &of);

/// Whether no run had two threads that take locks of this class, so that these are a thread's own
/// by nothing but that it made them.
bool isOfOneThread(const Profile &profile, std::size_t lockClass);

} // namespace qdadvise
