// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of what there was. The first record that is wrong ends the decoding: a function then
// returns false, and `records` says what is wrong.
#pragma once

#include "advisor/profile/Profile.h"
#include "advisor/profile/format/CheckedRecords.h"

namespace qdadvise {

/// Decodes sites, lock classes, locks, thread classes and who took which locks.
bool decodeSources(CheckedRecords &records, Profile &profile);

} // namespace qdadvise
