// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a file from a profile in memory.
#pragma once

#include "advisor/profile/Profile.h"

#include <string>

namespace qdadvise {

/// The inverse of decodeProfile (Decode.h).
std::string encodeProfile(const Profile &profile);

} // namespace qdadvise
