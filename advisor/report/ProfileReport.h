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

std::string profileReportText(const Profile &profile, const ProfileSummary &summary,
                              const TextStyle &style);

/// The schema is in docs/formats.md. `locks` are in the order of the summary's.
nlohmann::ordered_json profileReportJson(const Profile &profile, const ProfileSummary &summary);

/// As every JSON of the command is printed. Text that is not UTF-8 gets replacement characters.
std::string printJson(const nlohmann::ordered_json &json);

} // namespace qdadvise
