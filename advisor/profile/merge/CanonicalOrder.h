// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/profile/Profile.h"

namespace qdadvise {

/// Puts everything into the order of what identifies it, so that equal contents are equal
/// files. The locks of a class stay in their order, and are numbered in the place of addresses.
void sortCanonically(Profile &profile);

} // namespace qdadvise
