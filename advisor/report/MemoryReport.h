// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a diagnosis run saw of sections' accesses to memory, and what they would gain if they ran
// at once.
#pragma once

#include "advisor/decide/Optimistic.h"
#include "advisor/support/TextStyle.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace qdadvise {

/// Two tables of the summary's locks; empty where none was traced.
std::string memoryText(const Profile &profile, const ProfileSummary &summary,
                       const std::optional<OptimisticProgram> &optimistic, const TextStyle &style);

/// Per execution; the schema is in docs/formats.md.
nlohmann::ordered_json memoryJson(const SectionMemory &memory);

/// Adds `optimistic` to the JSON of `report`, and to the locks and sites in it that were traced.
/// `summary` is the one the document was made of.
void addOptimisticJson(nlohmann::ordered_json &document,
                       const std::optional<OptimisticProgram> &optimistic, const Profile &profile,
                       const ProfileSummary &summary);

} // namespace qdadvise
