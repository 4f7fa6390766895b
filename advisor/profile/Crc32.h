// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CRC-32 of IEEE 802.3, as zlib's: reflected polynomial 0xEDB88320.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace qdadvise {

/// Eight bytes at a time, with a table for each place (Kounavis and Berry 2005, "slicing by 8").
inline std::uint32_t crc32(std::string_view bytes) {
  static constexpr std::size_t slices = 8;
  static constexpr auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, slices> entries{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t remainder = i;
      for (int bit = 0; bit < 8; ++bit)
        remainder = (remainder >> 1) ^ ((remainder & 1) ? 0xEDB88320u : 0u);
      entries[0][i] = remainder;
    }
    for (std::size_t slice = 1; slice < slices; ++slice)
      for (std::size_t i = 0; i < 256; ++i) {
        const std::uint32_t before = entries[slice - 1][i];
        entries[slice][i] = (before >> 8) ^ entries[0][before & 0xFFu];
      }
    return entries;
  }();
  std::uint32_t crc = ~0u;
  const auto byteAt = [&](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at]));
  };
  std::size_t at = 0;
  for (; bytes.size() - at >= slices; at += slices) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < slices; ++i) {
      const std::uint32_t byte = byteAt(at + i) ^ (i < 4 ? crc >> 8 * i & 0xFFu : 0u);
      next ^= tables[slices - 1 - i][byte];
    }
    crc = next;
  }
  for (; at < bytes.size(); ++at)
    crc = (crc >> 8) ^ tables[0][(crc ^ byteAt(at)) & 0xFFu];
  return ~crc;
}

} // namespace qdadvise
