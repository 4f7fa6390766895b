// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/decide/Optimistic.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace qdadvise {

/// What a memory trace saw of a section, per execution; the schema is in docs/reference/formats.md.
nlohmann::ordered_json memoryJson(const SectionMemory &memory);

/// Adds `optimistic` to the JSON of `report`, and to the locks and sites in it that were traced.
/// `summary` is the one the document was made of.
void addOptimisticJson(nlohmann::ordered_json &document,
                       const std::optional<OptimisticProgram> &optimistic, const Profile &profile,
                       const ProfileSummary &summary);

} // namespace qdadvise
