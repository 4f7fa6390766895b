// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/Suppression.h"
#include "advisor/advice/UserConfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::HasSubstr;

bool suppresses(const Suppression &one, std::string_view lock, std::string_view file,
                std::string_view function) {
  return suppressionOf({one}, lock, file, function) != nullptr;
}

TEST(Suppression, FitsAllThatItSays) {
  EXPECT_TRUE(suppresses({"Db::m", "", "", ""}, "Db::m", "/src/db.cc", "f()"));
  EXPECT_FALSE(suppresses({"Db::m", "", "", ""}, "Db::m2", "/src/db.cc", "f()"));
  EXPECT_TRUE(suppresses({"Db::*", "", "", ""}, "Db::m2", "/src/db.cc", "f()"));
  EXPECT_TRUE(suppresses({"", "src/db.cc", "", ""}, "m", "/home/src/db.cc", "f()"));
  EXPECT_FALSE(suppresses({"", "db.cc", "", ""}, "m", "/home/src/otherdb.cc", "f()"));
  EXPECT_TRUE(suppresses({"", "third_party/*", "", ""}, "m", "/home/third_party/x/y.h", "f()"));
  EXPECT_TRUE(suppresses({"", "", "Db::get", ""}, "m", "a.cc", "Db::get(int) const"));
  EXPECT_TRUE(suppresses({"", "", "Db::get(int)", ""}, "m", "a.cc", "Db::get(int)"));
  EXPECT_FALSE(suppresses({"m", "b.cc", "", ""}, "m", "a.cc", "f()"));
}

TEST(Suppression, IsACommentWithItsReason) {
  EXPECT_EQ(keepComment("  m.lock(); // qdadvise: keep (taken once a day)"), "taken once a day");
  EXPECT_EQ(keepComment("/* qdadvise: keep */ m.lock();"), "");
  EXPECT_EQ(keepComment("// qdadvise: keeper"), std::nullopt);
  EXPECT_EQ(keepComment("/* qdadvise: keep (cold) */"), "cold");
  EXPECT_EQ(keepComment("// qdadvise: keep"), "");
  EXPECT_EQ(keepComment("// qdadvise: change"), std::nullopt);
  EXPECT_EQ(keepComment("print(\"qdadvise: keep\");"), std::nullopt);
  EXPECT_EQ(keepCommentAt("  // qdadvise: keep (cold)", "  m.lock();"), "cold");
  EXPECT_EQ(keepCommentAt("  n.lock(); // qdadvise: keep (cold)", "  m.lock();"), std::nullopt);
}

TEST(Suppression, IsReadFromTheConfiguration) {
  const Expected<UserConfig> config =
      parseUserConfig("[[suppress]]\nlock = \"a\"\nreason = \"cold\"\n"
                      "[[suppress]]\nfile = \"b.c\"\nfunction = \"f\"\n",
                      ".qdadvise.toml");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->suppressions.size(), 2u);
  EXPECT_EQ(config->suppressions[0].lock, "a");
  EXPECT_EQ(config->suppressions[0].reason, "cold");
  EXPECT_EQ(config->suppressions[1].file, "b.c");
  EXPECT_EQ(config->suppressions[1].function, "f");
  const auto errorOf = [](const char *toml) {
    const Expected<UserConfig> read = parseUserConfig(toml, "c.toml");
    return read ? std::string() : read.error().message;
  };
  EXPECT_THAT(
      errorOf("[[suppress]]\nreason = \"cold\"\n"),
      HasSubstr("c.toml:1:1: error: [[suppress]] needs a 'lock', a 'file' or a 'function'"));
  EXPECT_THAT(errorOf("suppress = \"a\"\n"), HasSubstr("write [[suppress]]"));
  EXPECT_THAT(errorOf("group = \"file\"\n"), HasSubstr("'group' must be site or lock"));
}

TEST(Suppression, MayBeOfAll) {
  const Expected<UserConfig> config = parseUserConfig("severity = \"off\"", "c.toml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->severity, Severity::off);
}

} // namespace
} // namespace qdadvise
