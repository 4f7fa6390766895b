// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page for browsers, in one file. It has the JSON of JsonReporter, and
// advisor/report/html/page.js draws it.
#pragma once

#include "advisor/report/Reporter.h"

#include <string>

namespace qdadvise {

class HtmlReporter : public Reporter {
public:
  std::string writeProfile(const ProfileReport &report) const override;
  std::string writePrediction(const PredictionReport &report) const override;
  std::string writeAdvice(const AdviceReport &report) const override;
  std::string writeVerification(const Verification &verification) const override;
};

} // namespace qdadvise
