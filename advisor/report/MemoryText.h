// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/decide/Optimistic.h"
#include "advisor/support/TextStyle.h"

#include <optional>
#include <string>

namespace qdadvise {

/// What a memory trace saw of sections' accesses to memory, and what they would gain if they ran at
/// once: two tables of the summary's locks. Empty where no section was traced.
std::string memoryText(const Profile &profile, const ProfileSummary &summary,
                       const std::optional<OptimisticProgram> &optimistic, const TextStyle &style);

} // namespace qdadvise
