// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text for people, at most 80 columns wide.
#pragma once

#include "advisor/report/Reporter.h"

#include <string>

namespace qdadvise {

class TextReporter : public Reporter {
public:
  explicit TextReporter(const TextStyle &style) : style(style) {}

  std::string writeProfile(const ProfileReport &report) const override;
  std::string writePrediction(const PredictionReport &report) const override;
  std::string writeAdvice(const AdviceReport &report) const override;
  std::string writeVerification(const Verification &verification) const override;
  std::string writeComparison(const ComparisonReport &report) const override;

private:
  TextStyle style;
};

} // namespace qdadvise
