// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CRC-32 of IEEE 802.3, as zlib's: reflected polynomial 0xEDB88320.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace qdadvise {

inline std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> entries{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t remainder = i;
      for (int bit = 0; bit < 8; ++bit)
        remainder = (remainder >> 1) ^ ((remainder & 1) ? 0xEDB88320u : 0u);
      entries[i] = remainder;
    }
    return entries;
  }();
  std::uint32_t crc = ~0u;
  for (const char byte : bytes)
    crc = (crc >> 8) ^ table[(crc ^ static_cast<unsigned char>(byte)) & 0xFFu];
  return ~crc;
}

} // namespace qdadvise
