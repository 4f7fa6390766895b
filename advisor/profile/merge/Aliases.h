// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins one lock under several names: it may be taken as a member, and through a reference, a
// pointer or a parameter elsewhere. To the plugin, each declaration is a lock class of its own,
// though threads wait for each other where the address is the same.
#pragma once

#include "advisor/profile/Profile.h"

namespace qdadvise {

/// Joins lock classes of the same algorithm where all locks of one are, by their addresses, locks
/// of the other, into the class with most locks, then most acquisitions, that is not a pointer's.
/// It is for the profile of a single run, since an address means nothing in another process. One
/// lock of another class's many stays apart, and so do classes that have no lock in common but
/// through a third one. A class that was joined keeps its entry, without locks and sections. Locals
/// of two functions that happen to share a place on the stack are joined as well: the profile
/// cannot tell them apart.
void joinAliases(Profile &profile);

} // namespace qdadvise
