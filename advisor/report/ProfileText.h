// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured, in the manner of Lockstat.
#pragma once

#include "advisor/report/ProfileReport.h"
#include "advisor/support/TextStyle.h"

#include <string>

namespace qdadvise {

/// Locks and sites are in the order of the summary's. `findings`, if there are any, stand between
/// the header and the tables, and `memory` (MemoryText.h) under these.
std::string profileReportText(const Profile &profile, const ProfileSummary &summary,
                              const ReportView &view, const TextStyle &style,
                              const std::string &findings = "", const std::string &memory = "");

} // namespace qdadvise
