// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's own memset, memcpy and memmove do what the C library's do.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

extern "C" {
void *qdadvise_memset(void *to, int byte, std::size_t count);
void *qdadvise_memcpy(void *to, const void *from, std::size_t count);
void *qdadvise_memmove(void *to, const void *from, std::size_t count);
}

namespace {

constexpr std::size_t most = 40;

std::vector<unsigned char> different() {
  std::vector<unsigned char> bytes(3 * most);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  return bytes;
}

TEST(MemoryFunctions, SetAndCopyAsManyBytesAsTheyAreTold) {
  for (std::size_t count = 0; count <= most; ++count) {
    auto ours = different(), theirs = different();
    EXPECT_EQ(qdadvise_memset(&ours[7], 0xfe, count), &ours[7]);
    std::memset(&theirs[7], 0xfe, count);
    EXPECT_EQ(ours, theirs) << count;
    EXPECT_EQ(qdadvise_memcpy(&ours[2 * most], &ours[9], count), &ours[2 * most]);
    std::memcpy(&theirs[2 * most], &theirs[9], count);
    EXPECT_EQ(ours, theirs) << count;
  }
}

TEST(MemoryFunctions, MoveBytesOntoThemselves) {
  for (std::size_t count = 0; count <= most; ++count)
    for (std::size_t to = 0; to <= 2 * most; ++to) {
      auto ours = different(), theirs = different();
      EXPECT_EQ(qdadvise_memmove(&ours[to], &ours[most], count), &ours[to]);
      std::memmove(&theirs[to], &theirs[most], count);
      EXPECT_EQ(ours, theirs) << count << " bytes to " << to;
    }
}

} // namespace
