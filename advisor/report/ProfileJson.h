// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "advisor/report/ProfileReport.h"

#include <nlohmann/json.hpp>

namespace qdadvise {

/// What was measured. The schema is in docs/reference/formats.md. Locks and sites are in the order
/// of the summary's.
nlohmann::ordered_json profileReportJson(const Profile &profile, const ProfileSummary &summary,
                                         const ReportView &view = {});

} // namespace qdadvise
