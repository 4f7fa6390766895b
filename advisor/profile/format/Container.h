// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frame of a profile: the header, the checksum and the directory of tables. No size or offset
// of the file is trusted, and nothing is allocated before it is known to fit the length of the
// file.
#pragma once

#include "runtime/abi/profile_format.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace qdadvise {

/// Whether the bytes begin with the magic of a profile.
bool hasProfileMagic(std::string_view bytes);

/// The CRC-32 of all that follows the header, which a file has in its header.
std::uint32_t checksumOf(std::string_view file);

class Container {
public:
  /// Checks everything; `bytes` must outlive the container.
  explicit Container(std::string_view bytes);

  /// What is wrong and what to do; empty where nothing is wrong.
  const std::string &problem() const { return complaint; }

  /// Reads the records of a table; there are none where the table is absent. What a record lacks is
  /// taken from `absent`. False where a record is shorter than `shortest`.
  template <typename Record>
  bool read(format::Table table, std::vector<Record> &records,
            std::size_t shortest = sizeof(Record), const Record &absent = {}) const;

  /// The zero-terminated string at an offset. Absent outside of the table of strings.
  std::optional<std::string_view> text(std::uint32_t offset) const;
  std::size_t stringBytes() const { return strings.size(); }
  /// A bound on the text of a profile with a copy of each string for each use: strings are shared,
  /// but not without limit.
  std::size_t stringBudget() const { return (std::size_t(16) << 20) + 64 * file.size(); }

private:
  bool checkHeader();
  bool readDirectory();
  bool addTable(const format::TableEntry &entry);
  bool readStrings();
  bool refuse(std::string message) const;

  std::string_view file;
  format::FileHeader header = {};
  std::map<format::Table, format::TableEntry> tables;
  std::string_view strings;
  mutable std::string complaint;
};

template <typename Record>
bool Container::read(format::Table table, std::vector<Record> &records, std::size_t shortest,
                     const Record &absent) const {
  static_assert(std::is_trivially_copyable_v<Record>, "a record is its bytes");
  const auto found = tables.find(table);
  if (found == tables.end() || found->second.count == 0)
    return true;
  const format::TableEntry &entry = found->second;
  if (entry.recordSize < shortest)
    return refuse("table " + std::to_string(static_cast<std::uint32_t>(table)) +
                  " has records of " + std::to_string(entry.recordSize) + " bytes instead of " +
                  std::to_string(sizeof(Record)));
  records.assign(entry.count, absent);
  const std::size_t bytes = entry.recordSize < sizeof(Record) ? shortest : sizeof(Record);
  for (std::size_t i = 0; i < records.size(); ++i)
    std::memcpy(&records[i], file.data() + entry.offset + i * entry.recordSize, bytes);
  return true;
}

} // namespace qdadvise
