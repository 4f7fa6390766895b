// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/profile/Profile.h"

namespace qdadvise {

/// Sorts everything by what identifies it, so that equal contents make equal files. The locks of a
/// class stay in order, and get numbers instead of addresses.
void sortCanonically(Profile &profile);

} // namespace qdadvise
