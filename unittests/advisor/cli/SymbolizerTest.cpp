// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/process/Symbolizer.h"

#include <gtest/gtest.h>

namespace qdadvise {
namespace {

const SourceFrame *find(const std::vector<SourceFrame> &frames) {
  return callingFrame(frames, "/home/user/src/wrapper.h");
}

TEST(CallingFrame, IsTheInnermostOutsideTheCalleeAndTheSystem) {
  const std::vector<SourceFrame> frames = {{"lock()", "src/wrapper.h", 5, 1},
                                           {"guard()", "/usr/include/c++/12/mutex", 9, 1},
                                           {"work()", "src/a.cc", 42, 3},
                                           {"main", "src/main.cc", 7, 1}};
  EXPECT_EQ(find(frames), &frames[2]);
}

TEST(CallingFrame, IsTheInnermostWhereThereIsNoOther) {
  const std::vector<SourceFrame> frames = {{"lock()", "src/wrapper.h", 5, 1},
                                           {"guard()", "/usr/include/c++/12/mutex", 9, 1}};
  EXPECT_EQ(find(frames), &frames[0]);
}

TEST(CallingFrame, NeedsALine) {
  const std::vector<SourceFrame> frames = {{"work()", "src/a.cc", 0, 0}, {"main", "", 3, 1}};
  EXPECT_EQ(find(frames), nullptr);
  EXPECT_EQ(find({}), nullptr);
}

} // namespace
} // namespace qdadvise
