// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Targets.h"
#include "rewrite/uses/Gates.h"

#include <gtest/gtest.h>
#include <set>

namespace qdadvise {
namespace {

TEST(Gates, EachHasItsOwnRow) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Gate::unknownUse); ++i) {
    const GateInfo &info = infoOf(static_cast<Gate>(i));
    EXPECT_EQ(static_cast<int>(info.gate), i) << info.name;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.message.empty() || info.why.empty()) << info.name;
  }
}

TEST(Targets, AreWhatAdviceMayName) {
  for (const Target &target : targets()) {
    EXPECT_EQ(findTarget(target.name), &target);
    EXPECT_EQ(target.isAtomic, target.asClass.type.empty() && target.asPosix.type.empty())
        << target.name;
  }
  EXPECT_EQ(findTarget("futex"), nullptr);
  for (const char *advised : {"pthread_mutex", "spinlock", "qd", "mcs", "mrqd", "atomic"})
    EXPECT_NE(findTarget(advised), nullptr) << advised;
}

} // namespace
} // namespace qdadvise
