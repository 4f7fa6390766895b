// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON for programs; docs/reference/formats.md has the schemas.
#pragma once

#include "advisor/report/Reporter.h"

#include <nlohmann/json.hpp>
#include <string>

namespace qdadvise {

class JsonReporter : public Reporter {
public:
  std::string writeProfile(const ProfileReport &report) const override;
  std::string writePrediction(const PredictionReport &report) const override;
  std::string writeAdvice(const AdviceReport &report) const override;
  std::string writeVerification(const Verification &verification) const override;
  std::string writeComparison(const ComparisonReport &report) const override;
};

/// The documents, for formats that carry them.
nlohmann::ordered_json jsonOf(const ProfileReport &report);
nlohmann::ordered_json jsonOf(const AdviceReport &report);
/// A document as the command prints it. Text that is not UTF-8 gets replacement characters.
std::string printJson(const nlohmann::ordered_json &json);

} // namespace qdadvise
