// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/support/SourceLines.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

TEST(SourceLines, ReadsAFileOnceAndHasNothingElsewhere) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "qdadvise-source-lines-test.cpp").string();
  std::ofstream(path) << "one\n\nthree";
  SourceLines source;
  EXPECT_EQ(source.at(path, 1), "one");
  EXPECT_EQ(source.at(path, 3), "three");
  std::filesystem::remove(path);
  EXPECT_EQ(source.of(path).size(), 3u);
  EXPECT_EQ(source.at(path, 0), "");
  EXPECT_EQ(source.at(path, 4), "");
  EXPECT_TRUE(source.of("not there").empty());
}

} // namespace
} // namespace qdadvise
