// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/verify/FigurePattern.h"

#include <charconv>
#include <cmath>

namespace qdadvise {
namespace {

/// The expression's matcher takes stack for each letter.
constexpr std::size_t longestLine = 4096;

std::optional<double> numberIn(std::string_view text) {
  double number = 0;
  if (text.starts_with('+'))
    text.remove_prefix(1);
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool isWhole = error == std::errc() && stop == text.data() + text.size();
  return isWhole && std::isfinite(number) && number > 0 ? std::optional(number) : std::nullopt;
}

} // namespace

Expected<FigurePattern> FigurePattern::of(const std::string &expression) {
  try {
    std::regex compiled(expression);
    if (compiled.mark_count() != 1)
      return makeError("--metric " + expression +
                       ": it needs one group in parentheses, around the figure; (?: ) is none");
    return FigurePattern(std::move(compiled));
  } catch (const std::regex_error &) {
    return makeError("--metric " + expression + ": this is no regular expression of ECMAScript");
  }
}

std::optional<double> FigurePattern::lastIn(std::string_view text) const {
  std::optional<double> last;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string line(text.substr(0, std::min(end, longestLine)));
    for (std::sregex_iterator found(line.begin(), line.end(), expression), none; found != none;
         ++found)
      if (const std::optional<double> number = numberIn((*found)[1].str()))
        last = number;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return last;
}

} // namespace qdadvise
