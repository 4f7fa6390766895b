// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Options, ThreadsAreAscendingAndEachOnce) {
  EXPECT_THAT(parseThreads("8").value(), ElementsAre(8));
  EXPECT_THAT(parseThreads("4,1,2..4").value(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(parseThreads("65536").value(), ElementsAre(65536));
}

TEST(Options, OtherThreadsAreRefused) {
  for (const char *text : {"", "0", "65537", "4..2", "1,", "a", "1..", "-1", "1.5"})
    EXPECT_THAT(parseThreads(text).error().message, HasSubstr("give numbers from 1 to 65536"))
        << text;
}

TEST(Options, TheFirstFormatIsTheDefaultAndOthersAreChecked) {
  CLI::App app;
  std::string format;
  addFormatOption(app, format, adviceReport);
  EXPECT_EQ(format, "text");
  EXPECT_THAT(app.help(), HasSubstr("text, json, html, sarif, toml (default: text)"));
  app.parse("--format toml");
  EXPECT_EQ(format, "toml");
  EXPECT_THROW(app.parse("--format pprof"), CLI::ValidationError);
}

} // namespace
} // namespace qdadvise
