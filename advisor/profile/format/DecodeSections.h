// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of what threads did. The first record that is wrong ends the decoding: a function then
// returns false, and `records` says what is wrong.
#pragma once

#include "advisor/profile/Profile.h"
#include "advisor/profile/format/CheckedRecords.h"

namespace qdadvise {

/// Decodes sections, what they did to memory, the transitions between them, and histograms. Needs
/// what decodeSources gives.
bool decodeSections(CheckedRecords &records, Profile &profile);

} // namespace qdadvise
