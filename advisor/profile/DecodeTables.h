// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of a profile, one after the other, into a Profile. Each may name records of those
// before it; false, where one is wrong, and `records` says what is.
#pragma once

#include "advisor/profile/CheckedRecords.h"
#include "advisor/profile/Profile.h"

namespace qdadvise {

/// What there was: sites, locks, thread classes.
bool decodeSources(CheckedRecords &records, Profile &profile);
/// What threads did: sections, what they did to memory, the ways between them, and their times.
bool decodeSections(CheckedRecords &records, Profile &profile);

} // namespace qdadvise
