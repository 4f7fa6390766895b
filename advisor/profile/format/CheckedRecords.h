// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the records of a profile's tables, and checks their texts, indices and times. The first
// fault is kept. A check that fails returns `false`, and the rest is not to be read then.
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

  /// Records of older files may be shorter. What they lack is taken from `absent`.
  template <typename Record>
  bool read(format::Table table, std::vector<Record> &records,
            std::size_t shortest = sizeof(Record), const Record &absent = {}) {
    return container.read(table, records, shortest, absent) || refuse("{}", container.problem());
  }

  /// The string at an offset.
  bool text(std::uint32_t offset, std::string &out);
  /// Checks that `value`, in a field of a record of a table, is one of `size` indices.
  bool within(const char *table, std::size_t record, const char *field, std::uint32_t value,
              std::size_t size);
  /// Checks that all counts of the file so far are so small that no sum of them, or of those of
  /// many files, exceeds an integer.
  bool counts(const char *table, std::size_t record, std::initializer_list<std::uint64_t> values);
  bool times(const char *table, std::size_t record, std::initializer_list<double> values);
  bool moments(const char *table, std::size_t record, const format::Moments &from, Moments &to);

private:
  const Container &container;
  std::size_t stringBudget; ///< so many bytes of text may still be decoded
  std::uint64_t counted = 0;
  std::string complaint;
};

} // namespace qdadvise
