// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile in memory from the bytes of a file.
#pragma once

#include "advisor/profile/Profile.h"

#include <string>

namespace qdadvise {

/// Decodes and checks a profile. Refuses a wrong magic, version or CRC, a truncated file and any
/// index out of range. The error contains `name`, a path.
Expected<Profile> decodeProfile(const std::string &bytes, const std::string &name);
/// Reads a file. "-" is not special.
Expected<Profile> readProfile(const std::string &path);

} // namespace qdadvise
