// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/decide/Findings.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace qdadvise {

/// Fills in `findings`, and the `quadrant` of each lock and site, in the JSON of `report`; the
/// schema is in docs/reference/findings.md. `summary` is the one the document was made of.
void addFindingsJson(nlohmann::ordered_json &document, const std::vector<Finding> &findings,
                     const Profile &profile, const ProfileSummary &summary,
                     const FindingThresholds &thresholds);

} // namespace qdadvise
