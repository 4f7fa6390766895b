// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/LockApis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LockApis, ReadsFunctions) {
  const Expected<std::vector<LockApiEntry>> result =
      parseLockApis("[[lock_api]]\n"
                    "name = 'spin'\nkind = 'spinlock'\n"
                    "acquire = ['lock', { function = 'a::b', "
                    "argument = 2, success = 'zero' }]\n"
                    "try_acquire_shared = 'try'\n"
                    "timed_wait = ['wait']\nrelease = 'unlock'\n",
                    "c.toml");
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->size(), 1U);
  const LockApiEntry &entry = (*result)[0];
  EXPECT_EQ(entry.name, "spin");
  EXPECT_EQ(entry.kind, LockKind::spinlock);
  ASSERT_EQ(entry.functions.size(), 5U);
  EXPECT_EQ(entry.functions[0].name, "lock");
  EXPECT_EQ(entry.functions[0].argument, std::nullopt);
  EXPECT_EQ(entry.functions[0].success, ApiSuccess::always);
  EXPECT_EQ(entry.functions[1].name, "a::b");
  EXPECT_EQ(entry.functions[1].argument, 2U);
  EXPECT_EQ(entry.functions[1].success, ApiSuccess::zero);
  EXPECT_TRUE(entry.functions[2].isTry && entry.functions[2].isShared);
  EXPECT_EQ(entry.functions[2].success, ApiSuccess::nonzero);
  EXPECT_EQ(entry.functions[3].role, ApiRole::release);
  EXPECT_EQ(entry.functions[4].role, ApiRole::wait);
  EXPECT_TRUE(entry.functions[4].isTimed);
}

TEST(LockApis, KnowEveryAlgorithmThatProgramsHave) {
  for (const LockAlgorithm &algorithm : lockAlgorithms) {
    const auto entries = parseLockApis(std::string("[[lock_api]]\nkind = '") + algorithm.name +
                                           "'\nacquire = ['lock']\nrelease = ['unlock']\n",
                                       "c.toml");
    ASSERT_EQ(entries.has_value(), !algorithm.isIdeal()) << algorithm.name;
    if (entries)
      EXPECT_EQ(entries->at(0).kind, algorithm.kind) << algorithm.name;
  }
}

TEST(LockApis, WantsToKnowWhatReleases) {
  const auto isRead = [](const std::string &toml) {
    return parseLockApis("[[lock_api]]\n" + toml, "c.toml").has_value();
  };
  EXPECT_FALSE(isRead("acquire = 'lock'\n"));
  EXPECT_TRUE(isRead("acquire = 'lock'\n[[lock_api]]\nrelease = 'unlock'\n"));
  EXPECT_FALSE(isRead("type = 'M'\nacquire = 'lock'\n[[lock_api]]\nrelease = 'unlock'\n"));
  EXPECT_TRUE(isRead("type = 'M'\nacquire = 'lock'\nguards = 'G'\n"));
  EXPECT_TRUE(isRead("wrapper = 'take'\n"));
}

TEST(LockApis, ReadsTypesAndGuards) {
  const Expected<std::vector<LockApiEntry>> result =
      parseLockApis("[[lock_api]]\n"
                    "type = ['a::M', 'a::N']\nrelease = ['Give']\n"
                    "guards = ['a::G', { type = 'a::R', shared = true, "
                    "argument = 1, acquire = ['Again'] }]\n",
                    "c.toml");
  ASSERT_TRUE(result) << result.error().message;
  const LockApiEntry &entry = result->at(0);
  EXPECT_THAT(entry.types, ElementsAre("a::M", "a::N"));
  ASSERT_EQ(entry.guards.size(), 2U);
  EXPECT_THAT(entry.guards[0].types, ElementsAre("a::G"));
  EXPECT_FALSE(entry.guards[0].isShared);
  EXPECT_TRUE(entry.guards[1].isShared);
  EXPECT_EQ(entry.guards[1].argument, 1U);
  ASSERT_EQ(entry.guards[1].members.size(), 1U);
  EXPECT_EQ(entry.guards[1].members[0].name, "Again");
}

TEST(LockApis, RefusesWhatIsWrongAtItsPlace) {
  const std::pair<const char *, const char *> table[] = {
      {"lock_api = []\nlock_api = 1\n", "c.toml:2:"},
      {"[[lock_api]]\nacquire = ['a', 'a']\n", "c.toml:2:17: error: 'a' has a role already"},
      {"[[lock_api]]\nacquire = ['::']\n", "c.toml:2:12: error: '::' is no name"},
      {"[[lock_api]]\nacquire = ['a::']\n", "c.toml:2:12: error: 'a::' is no name"},
      {"[[lock_api]]\nacquire = ['1a']\n", "c.toml:2:12: error: '1a' is no name"},
      {"[[lock_api]]\nacquire = [{ function = 1 }]\n", "c.toml:2:25: error: 'function' must be"},
      {"[[lock_api]]\nrelease = [{ function = 'a', success = 'zero' }]\n",
       "c.toml:2:40: error: 'success' is of functions that acquire"},
      {"[[lock_api]]\nacquire = [{ function = 'a', argument = 1.5 }]\n", "c.toml:2:41: error:"},
      {"[[lock_api]]\ntype = []\nacquire = ['a']\n", "c.toml:2:8: error: 'type' names nothing"},
      {"[[lock_api]]\nignore = ['a']\nacquire = ['a']\n", "c.toml:3:12: error: 'a' has a role"},
  };
  for (const auto &[toml, error] : table)
    EXPECT_THAT(parseLockApis(toml, "c.toml").error().message, HasSubstr(error)) << toml;
}

} // namespace
} // namespace qdadvise
