// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// advice.toml, which the plugin reads.
#pragma once

#include "advisor/report/Reporter.h"

#include <string>

namespace qdadvise {

class TomlReporter : public Reporter {
public:
  std::string writeAdvice(const AdviceReport &report) const override {
    return printAdvice(report.file);
  }
};

} // namespace qdadvise
