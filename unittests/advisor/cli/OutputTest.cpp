// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files appear complete, and what cannot be written is known before.

#include "advisor/cli/Output.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>

namespace qdadvise {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

class Output : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "qdadvise-output-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path folder;
};

std::string contentOf(const fs::path &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_F(Output, ReplacesAFileAndLeavesNothingElse) {
  const fs::path path = folder / "a.txt";
  EXPECT_EQ(writeOutput(path.string(), "one\n"), exitSuccess);
  EXPECT_EQ(writeOutput(path.string(), "two\n"), exitSuccess);
  EXPECT_EQ(contentOf(path), "two\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(Output, AFileThatCannotBeIsBadUsage) {
  EXPECT_EQ(writeOutput((folder / "no" / "a.txt").string(), ""), exitUsage);
  EXPECT_EQ(writeOutput(folder.string(), ""), exitUsage);
}

TEST_F(Output, CanBeCheckedBefore) {
  EXPECT_TRUE(checkWritable(""));
  EXPECT_TRUE(checkWritable("-"));
  EXPECT_TRUE(checkWritable("/dev/null"));
  EXPECT_TRUE(checkWritable((folder / "a.txt").string()));
  EXPECT_THAT(checkWritable(folder.string()).error().message, HasSubstr("it is a folder"));
  const std::string below = (folder / "no" / "a.txt").string();
  EXPECT_THAT(checkWritable(below).error().message, HasSubstr("cannot write " + below));
  EXPECT_TRUE(checkWritable(below, true)) << "with the folder";
  EXPECT_TRUE(fs::is_empty(folder / "no"));
}

TEST(ExitCode, IsThatOfTheCommandOrOfAnError) {
  EXPECT_EQ(exitCodeOf(3), 3);
  EXPECT_EQ(exitCodeOf(makeError("no such profile")), exitUsage);
}

} // namespace
} // namespace qdadvise
