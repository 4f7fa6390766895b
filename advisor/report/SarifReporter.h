// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results for code review.
#pragma once

#include "advisor/report/Reporter.h"

#include <string>

namespace qdadvise {

class SarifReporter : public Reporter {
public:
  std::string writeProfile(const ProfileReport &report) const override;
  std::string writeAdvice(const AdviceReport &report) const override;
};

} // namespace qdadvise
