// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles as bytes, for tests that change some.
#pragma once

#include "advisor/profile/format/Container.h"
#include "advisor/profile/format/Decode.h"
#include "runtime/abi/profile_format.h"

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace qdadvise::testing {

/// With the checksum made right again, so that what is inside gets checked.
inline std::string sealed(std::string bytes) {
  format::FileHeader header = {};
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.fileSize = bytes.size();
  header.crc = checksumOf(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

/// The directory entry of a table, to be read and changed in place.
inline format::TableEntry &entryOf(std::string &bytes, format::Table table) {
  format::FileHeader header = {};
  std::memcpy(&header, bytes.data(), sizeof(header));
  auto *entries = reinterpret_cast<format::TableEntry *>(bytes.data() + sizeof(header));
  for (std::uint32_t i = 0; i < header.tableCount; ++i)
    if (entries[i].table == table)
      return entries[i];
  throw std::logic_error("no such table");
}

template <typename Record> Record &recordOf(std::string &bytes, format::Table table, int index) {
  return reinterpret_cast<Record *>(bytes.data() + entryOf(bytes, table).offset)[index];
}

inline std::string errorOf(const std::string &bytes) {
  const Expected<Profile> profile = decodeProfile(bytes, "a.qdprof");
  return profile ? "" : profile.error().message;
}

} // namespace qdadvise::testing
