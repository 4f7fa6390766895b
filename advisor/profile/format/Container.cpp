// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/profile/format/Container.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <zlib.h>

namespace qdadvise {

static_assert(std::endian::native == std::endian::little, "profiles are little-endian");

namespace {

constexpr std::string_view magic(format::magic, sizeof(format::magic));

} // namespace

std::uint32_t checksumOf(std::string_view file) {
  const std::string_view covered = file.substr(sizeof(format::FileHeader));
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef *>(covered.data()), covered.size()));
}

bool hasProfileMagic(std::string_view bytes) { return bytes.substr(0, magic.size()) == magic; }

Container::Container(std::string_view bytes) : file(bytes) {
  if (checkHeader() && readDirectory())
    readStrings();
}

bool Container::refuse(std::string message) const {
  complaint = std::move(message);
  return false;
}

bool Container::checkHeader() {
  if (file.empty())
    return refuse("the file is empty; record again");
  if (magic.substr(0, file.size()) != file.substr(0, magic.size()))
    return refuse("not a profile (it does not begin with QDPROF); `qdadvise record` writes one");
  if (file.size() < sizeof(header))
    return refuse(fmt::format("the file has {} bytes, too few for a profile: it was cut short; "
                              "record again",
                              file.size()));
  std::memcpy(&header, file.data(), sizeof(header));
  if (header.version != format::version)
    return refuse(fmt::format("profile of version {}, but this qdadvise reads version {}; record "
                              "again with the runtime that came with it",
                              header.version, format::version));
  if (header.fileSize > file.size())
    return refuse(fmt::format("its header says {} bytes, the file has {}: it was cut short; "
                              "record again",
                              header.fileSize, file.size()));
  if (header.fileSize < file.size())
    return refuse(fmt::format("its header says {} bytes, the file has {}: something was added; "
                              "record again",
                              header.fileSize, file.size()));
  // The checksum does not cover the header.
  if (header.reserved != 0 || header.crc != checksumOf(file))
    return refuse("its checksum does not match: the file was damaged; record again");
  return true;
}

bool Container::readDirectory() {
  const std::size_t room = (file.size() - sizeof(header)) / sizeof(format::TableEntry);
  if (header.tableCount > room)
    return refuse(fmt::format("malformed profile: a directory of {} tables in {} bytes; record "
                              "again",
                              header.tableCount, file.size()));
  for (std::size_t i = 0; i < header.tableCount; ++i) {
    format::TableEntry entry; // all of it is read
    std::memcpy(&entry, file.data() + sizeof(header) + i * sizeof(entry), sizeof(entry));
    if (!addTable(entry))
      return false;
  }
  return true;
}

bool Container::addTable(const format::TableEntry &entry) {
  const auto number = static_cast<std::uint32_t>(entry.table);
  const std::size_t begin = sizeof(header) + header.tableCount * sizeof(format::TableEntry);
  const bool empty = entry.count == 0;
  if (!empty && (entry.offset < begin || entry.offset > file.size() || entry.offset % 8 != 0))
    return refuse(fmt::format("malformed profile: table {} begins at byte {} of {}; record again",
                              number, entry.offset, file.size()));
  if (!empty &&
      (entry.recordSize == 0 || entry.count > (file.size() - entry.offset) / entry.recordSize))
    return refuse(fmt::format("malformed profile: table {} has {} records of {} bytes, more than "
                              "the file holds; record again",
                              number, entry.count, entry.recordSize));
  if (!tables.emplace(entry.table, entry).second)
    return refuse(fmt::format("malformed profile: table {} is there twice; record again", number));
  return true;
}

bool Container::readStrings() {
  const auto found = tables.find(format::Table::strings);
  if (found != tables.end() && found->second.count > 0 && found->second.recordSize == 1)
    strings = file.substr(found->second.offset, found->second.count);
  if (strings.empty() || strings.front() != '\0' || strings.back() != '\0')
    return refuse("malformed profile: its strings are missing or do not end; record again");
  return true;
}

std::optional<std::string_view> Container::text(std::uint32_t offset) const {
  if (offset >= strings.size())
    return std::nullopt;
  const std::string_view rest = strings.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

} // namespace qdadvise
