// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/format/CheckedRecords.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace qdadvise {

bool CheckedRecords::text(std::uint32_t offset, std::string &out) {
  const std::optional<std::string_view> found = container.text(offset);
  if (!found)
    return refuse("a string begins at byte {} of {}", offset, container.stringBytes());
  if (found->size() > stringBudget)
    return refuse("its strings unfold to an absurd size");
  stringBudget -= found->size();
  out = *found;
  return true;
}

bool CheckedRecords::within(const char *table, std::size_t record, const char *field,
                            std::uint32_t value, std::size_t size) {
  return value < size || refuse("{} {} names {} {} of {}", table, record, field, value, size);
}

bool CheckedRecords::counts(const char *table, std::size_t record,
                            std::initializer_list<std::uint64_t> values) {
  constexpr std::uint64_t absurd = std::uint64_t{1} << 56; // a thousand million a second for years
  for (const std::uint64_t value : values)
    if (value > absurd || (counted += value) > absurd)
      return refuse("{} {} counts up to an absurd number: {}", table, record, value);
  return true;
}

bool CheckedRecords::times(const char *table, std::size_t record,
                           std::initializer_list<double> values) {
  for (const double value : values)
    if (!std::isfinite(value))
      return refuse("{} {} has a time that is not a number", table, record);
  return true;
}

bool CheckedRecords::moments(const char *table, std::size_t record, const format::Moments &from,
                             Moments &to) {
  // Rounding may leave a sum of squares a little below zero.
  to = {from.count, from.mean, std::max(from.m2, 0.0), from.min, from.max};
  return counts(table, record, {from.count}) &&
         times(table, record, {from.mean, from.m2, from.min, from.max});
}

} // namespace qdadvise
