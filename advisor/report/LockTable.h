// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of locks with their sites underneath: figures on the left, names on the right.
#pragma once

#include "advisor/profile/summary/Summary.h"
#include "advisor/support/TextStyle.h"

#include <fmt/format.h>
#include <string>
#include <vector>

namespace qdadvise {

/// A column of a table whose lines are made of a `Row` each.
template <typename Row> struct Column {
  const char *group, *title;
  int width;
  std::string (*cell)(const Row &row);
};
template <typename Row> using Columns = std::vector<Column<Row>>;

std::string tableHeading(const std::string &title, std::string groups, std::string titles,
                         const TextStyle &style);
std::string lockLine(const LockSummary &lock, const std::string &figures, const TextStyle &style);
std::string siteLine(const ProfiledSite &site, const std::string &figures, const TextStyle &style);
/// A line of figures with a label behind them, or above them where it does not fit. The label is
/// never cut: advice and networks use the names of locks.
std::string labelled(const std::string &figures, const std::string &indent,
                     const std::string &label, const TextStyle &style);

template <typename Row>
std::string tableHeading(const std::string &title, const Columns<Row> &columns,
                         const TextStyle &style) {
  std::string groups, titles;
  for (const Column<Row> &column : columns) {
    groups += fmt::format("{:^{}} ", column.group, column.width);
    titles += fmt::format("{:>{}} ", column.title, column.width);
  }
  return tableHeading(title, groups, titles, style);
}

template <typename Row> std::string figuresOf(const Columns<Row> &columns, const Row &row) {
  std::string line;
  for (const Column<Row> &column : columns)
    line += fmt::format("{:>{}} ", column.cell(row), column.width);
  return line;
}

} // namespace qdadvise
