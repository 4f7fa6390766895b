// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured, in the manner of Lockstat: text for people, JSON for programs.
#pragma once

#include "advisor/profile/Summary.h"
#include "advisor/support/TextStyle.h"

#include <nlohmann/json.hpp>
#include <string>

namespace qdadvise {

/// What of the summary is shown, and how.
struct ReportView {
  bool rate = false;         ///< text: acquisitions per second instead of the utilization
  bool percentiles = false;  ///< text: of times, instead of mean and maximum
  std::size_t instances = 0; ///< so many lock objects of each class, the busiest first
};

/// Locks and sites are in the order of the summary's. `findings`, if there are any, stand between
/// the header and the tables, and `memory` (MemoryReport.h) under these.
std::string profileReportText(const Profile &profile, const ProfileSummary &summary,
                              const ReportView &view, const TextStyle &style,
                              const std::string &findings = "", const std::string &memory = "");

/// The schema is in docs/formats.md. Locks and sites are in the order of the summary's.
nlohmann::ordered_json profileReportJson(const Profile &profile, const ProfileSummary &summary,
                                         const ReportView &view = {});

/// As every JSON of the command is printed. Text that is not UTF-8 gets replacement characters.
std::string printJson(const nlohmann::ordered_json &json);

} // namespace qdadvise
