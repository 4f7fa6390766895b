// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lock under several names: taken as a member here, and through a reference, a
// pointer or a parameter there. Each declaration is a lock class of its own to the
// plugin; where the address is the same, threads wait for each other all the same.
#pragma once

#include "advisor/profile/Profile.h"

namespace qdadvise {

/// Joins lock classes of one lock each, of the same algorithm, whose addresses are the
/// same, into the one with most acquisitions that is not a pointer's. For the profile of a single
/// run: an address means nothing in another process. A class of several locks is left as it is, and
/// a class that was joined keeps its entry, without locks and sections. Locals of two functions
/// that happen to share a place on the stack are joined as well: the profile cannot tell.
void joinAliases(Profile &profile);

} // namespace qdadvise
