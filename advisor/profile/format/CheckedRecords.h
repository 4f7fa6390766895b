// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records of a profile's tables, and what they say checked: text, indices, times. The first
// thing that is wrong is kept; every check tells with `false` that the rest is to be left.
#pragma once

#include "advisor/profile/Profile.h"
#include "advisor/profile/format/Container.h"

#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

class CheckedRecords {
public:
  /// `container` must outlive the records.
  explicit CheckedRecords(const Container &container)
      : container(container), stringBudget(container.stringBudget()) {}

  /// What is wrong, or empty.
  const std::string &problem() const { return complaint; }

  template <typename... Args> bool refuse(fmt::format_string<Args...> form, Args &&...args) {
    complaint = fmt::format(form, std::forward<Args>(args)...);
    return false;
  }

  /// Records may have been shorter once: what they lack is as in `absent`.
  template <typename Record>
  bool read(format::Table table, std::vector<Record> &records,
            std::size_t shortest = sizeof(Record), const Record &absent = {}) {
    return container.read(table, records, shortest, absent) || refuse("{}", container.problem());
  }

  /// The string at an offset.
  bool text(std::uint32_t offset, std::string &out);
  /// Whether `value`, in a field of a record of a table, is one of `size` indices.
  bool within(const char *table, std::size_t record, const char *field, std::uint32_t value,
              std::size_t size);
  /// Whether all counts of the file so far are so few that no sum of them, nor of many files, is
  /// larger than an integer.
  bool counts(const char *table, std::size_t record, std::initializer_list<std::uint64_t> values);
  bool times(const char *table, std::size_t record, std::initializer_list<double> values);
  bool moments(const char *table, std::size_t record, const format::Moments &from, Moments &to);

private:
  const Container &container;
  std::size_t stringBudget; ///< bytes of text that may still be decoded
  std::uint64_t counted = 0;
  std::string complaint;
};

} // namespace qdadvise
