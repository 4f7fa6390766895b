// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What critical sections do to memory comes from a diagnosis run, which is too slow to tell times;
// when and how often they run comes from another one.
#pragma once

#include "advisor/profile/Profile.h"

namespace qdadvise {

/// Whether it is a diagnosis run's, and nothing else's.
bool isDiagnosis(const Profile &profile);

/// The profile `run`, its sections with the memory accesses of the same places in `diagnosis`, of
/// the same thread class and lock where these have some. Fails where none does.
Expected<Profile> withDiagnosis(Profile run, const Profile &diagnosis);

} // namespace qdadvise
