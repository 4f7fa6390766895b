// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Joins a profile with a memory trace. A run that traces what sections do to memory is too slow to
// measure times, which come from another run.
#pragma once

#include "advisor/profile/Profile.h"

namespace qdadvise {

/// Whether the profile is that of a memory trace.
bool isMemoryTrace(const Profile &profile);

/// Returns the profile `run`, in which sections have the memory accesses of the same places in
/// `trace`: those of the same thread class and lock, where there are any. Fails where no
/// section gets any.
Expected<Profile> withMemoryTrace(Profile run, const Profile &trace);

} // namespace qdadvise
