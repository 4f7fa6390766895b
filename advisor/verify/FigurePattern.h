// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figure that a program prints itself: its time, or its rate.
#pragma once

#include "advisor/support/Error.h"

#include <optional>
#include <regex>
#include <string>
#include <string_view>

namespace qdadvise {

class FigurePattern {
public:
  /// An ECMAScript regular expression with one group, which holds the figure.
  static Expected<FigurePattern> of(const std::string &expression);

  /// The figure that stands last in the text; none where there is none, or it is not above 0. It is
  /// looked for line by line.
  std::optional<double> lastIn(std::string_view text) const;

private:
  explicit FigurePattern(std::regex theExpression) : expression(std::move(theExpression)) {}

  std::regex expression;
};

} // namespace qdadvise
