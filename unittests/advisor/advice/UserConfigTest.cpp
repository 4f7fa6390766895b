// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/UserConfig.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(UserConfig, ReadsEveryKey) {
  const Expected<UserConfig> result =
      parseUserConfig("advice = 'out/advice.toml'\nseverity = 'remark'\nthreads = 16\ncores = 32\n",
                      "/src/.qdadvise.toml");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->path, "/src/.qdadvise.toml");
  EXPECT_EQ(result->advice, "/src/out/advice.toml");
  EXPECT_EQ(result->severity, Severity::remark);
  EXPECT_EQ(result->threads, 16);
  EXPECT_EQ(result->cores, 32);
  EXPECT_THAT(result->warnings, IsEmpty());
}

TEST(UserConfig, AnAbsoluteAdvicePathStays) {
  EXPECT_EQ(parseUserConfig("advice = '/a/advice.toml'\n", "/src/.qdadvise.toml")->advice,
            "/a/advice.toml");
}

TEST(UserConfig, AnEmptyFileSaysNothing) {
  const Expected<UserConfig> result = parseUserConfig("", ".qdadvise.toml");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->advice, "");
  EXPECT_EQ(result->severity, std::nullopt);
  EXPECT_EQ(result->threads, 0);
}

TEST(UserConfig, UnknownKeysAreNamedAndIgnored) {
  const Expected<UserConfig> result = parseUserConfig("threads = 4\nsevrity = 'error'\n", "c.toml");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->threads, 4);
  EXPECT_THAT(result->warnings,
              ElementsAre(::testing::AllOf(StartsWith("c.toml:2:1: "), HasSubstr("sevrity"))));
}

TEST(UserConfig, ThresholdsOfFindingsAreSetOneByOne) {
  const Expected<UserConfig> result = parseUserConfig(
      "[findings]\ncontention_rate = 0.2\nasymmetry = 3\nshared_share = 0.01\nimbalence = 0.1\n",
      "c.toml");
  ASSERT_TRUE(result) << result.error().message;
  const FindingThresholds &thresholds = result->findings;
  EXPECT_EQ(thresholds.contentionRate, 0.2);
  EXPECT_EQ(thresholds.asymmetry, 3);
  EXPECT_EQ(thresholds.sharedShare, 0.01);
  EXPECT_EQ(thresholds.acquisitionsPerS, 1000);
  EXPECT_THAT(result->warnings,
              ElementsAre(::testing::AllOf(StartsWith("c.toml:5:1: "), HasSubstr("'imbalence'"),
                                           HasSubstr("acquisitions_per_s, asymmetry"))));
}

TEST(UserConfig, WrongValuesAreRefusedAtTheirPlace) {
  const std::pair<const char *, const char *> table[] = {
      {"severity = 'fatal'\n",
       "c.toml:1:12: error: 'severity' must be off, remark, warning or error"},
      {"\nthreads = 0\n", "c.toml:2:11: error: 'threads' must be at least 1"},
      {"cores = 'all'\n", "c.toml:1:9: error: 'cores' must be a whole number"},
      {"advice = ''\n", "c.toml:1:10: error: 'advice' must name a file"},
      {"advice = \n", "c.toml:1:"},
      {"findings = 3\n", "c.toml:1:12: error: 'findings' must be a table"},
      {"[findings]\nasymmetry = 0.5\n", "c.toml:2:13: error: 'asymmetry' must be at least 1"},
      {"[findings]\nimbalance = 'x'\n", "c.toml:2:13: error: 'imbalance' must be a number"},
  };
  for (const auto &[toml, error] : table)
    EXPECT_THAT(parseUserConfig(toml, "c.toml").error().message, StartsWith(error)) << toml;
}

class FindUserConfig : public ::testing::Test {
protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "qdadvise-config-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root = name;
    std::filesystem::create_directories(root / "a" / "b" / "c");
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void put(const std::filesystem::path &folder) {
    std::ofstream(folder / ".qdadvise.toml") << "\n";
  }

  std::filesystem::path root;
};

TEST_F(FindUserConfig, TakesTheNearest) {
  put(root);
  put(root / "a" / "b");
  EXPECT_EQ(findUserConfig((root / "a" / "b" / "c").string()), root / "a" / "b" / ".qdadvise.toml");
  EXPECT_EQ(findUserConfig((root / "a" / "b" / "").string()), root / "a" / "b" / ".qdadvise.toml");
  EXPECT_EQ(findUserConfig((root / "a").string()), root / ".qdadvise.toml");
  EXPECT_EQ(findUserConfig((root / "a" / "b" / "..").string()), root / ".qdadvise.toml");
}

TEST_F(FindUserConfig, AFolderOfThatNameIsNone) {
  put(root);
  std::filesystem::create_directories(root / "a" / ".qdadvise.toml");
  EXPECT_EQ(findUserConfig((root / "a").string()), root / ".qdadvise.toml");
}

} // namespace
} // namespace qdadvise
