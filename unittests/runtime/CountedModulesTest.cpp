// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/unseen/counted_modules.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

using namespace qdadvise::runtime;

namespace {

using Counts = std::map<std::string, std::uint64_t>;

/// Rows of one path in one, and those beyond the limit as "+".
Counts countsOf(const CountedModules &modules) {
  Counts result;
  modules.forEach(
      [&](const char *path, std::uint64_t count) { result[path ? path : "+"] += count; });
  return result;
}

class CountedModulesTest : public testing::Test {
protected:
  static CountedModules modules; // larger than a stack should bear
  void SetUp() override { modules.forget(); }
};
CountedModules CountedModulesTest::modules;

TEST_F(CountedModulesTest, CountsByPath) {
  modules.count("/lib/a.so", 0);
  modules.count("", 1);
  modules.count("/lib/a.so", 17);
  modules.count("/lib/a.so.1", 3);
  // The same text at another address is the same module: a library that came back.
  modules.count(std::string("/lib/a.so").c_str(), 2);
  EXPECT_EQ(countsOf(modules), (Counts{{"/lib/a.so", 3}, {"/lib/a.so.1", 1}, {"", 1}}));
}

TEST_F(CountedModulesTest, ForgetsCountsButNotModules) {
  modules.count("/lib/a.so", 0);
  modules.forget();
  EXPECT_TRUE(countsOf(modules).empty());
  modules.count("/lib/a.so", 0);
  EXPECT_EQ(countsOf(modules), (Counts{{"/lib/a.so", 1}}));
}

TEST_F(CountedModulesTest, LeavesAPart) {
  for (unsigned i = 0; i < 17; ++i)
    modules.count("/lib/a.so", i);
  modules.count("/lib/b.so", 3);
  modules.thin(2);
  EXPECT_EQ(countsOf(modules), (Counts{{"/lib/a.so", 4}, {"/lib/b.so", 1}}));
}

TEST_F(CountedModulesTest, KeepsTheEndOfALongPath) {
  const std::string end = "/" + std::string(300, 'b') + "/libend.so";
  modules.count((std::string(400, 'a') + end).c_str(), 0);
  const Counts counts = countsOf(modules);
  ASSERT_EQ(counts.size(), 1u);
  EXPECT_EQ(counts.begin()->first.size(), CountedModules::mostPath - 1);
  EXPECT_TRUE(counts.begin()->first.ends_with(end));
}

TEST_F(CountedModulesTest, LosesNothingAmongThreads) {
  constexpr unsigned threads = 8, each = 20000;
  std::vector<std::thread> running;
  for (unsigned thread = 0; thread < threads; ++thread)
    running.emplace_back([=] {
      for (unsigned i = 0; i < each; ++i)
        modules.count(("/lib/many" + std::to_string(i % 16)).c_str(), thread);
    });
  for (std::thread &one : running)
    one.join();
  const Counts counts = countsOf(modules);
  EXPECT_EQ(counts.size(), 16u);
  for (const auto &[path, count] : counts)
    EXPECT_EQ(count, threads * each / 16) << path;
}

// The last one: modules are never forgotten.
TEST_F(CountedModulesTest, ThoseBeyondTheLimitAreCountedTogether) {
  for (unsigned i = 0; i < 2 * CountedModules::mostModules; ++i)
    modules.count(("/lib/" + std::to_string(i)).c_str(), i);
  std::uint64_t all = 0;
  const Counts counts = countsOf(modules);
  for (const auto &[path, count] : counts)
    all += count;
  EXPECT_EQ(all, 2 * CountedModules::mostModules);
  EXPECT_GE(counts.at("+"), CountedModules::mostModules);
}

} // namespace
