// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QDADVISE_OPTIONS.
#include "runtime/process/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

using namespace qdadvise::runtime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::vector<std::string> complaints;

Options parse(const char *text) {
  complaints.clear();
  Options options;
  parseOptions(text, options, [](const char *message) { complaints.emplace_back(message); });
  return options;
}

TEST(Options, AbsentAndEmptyAreTheDefaults) {
  for (const char *text : {static_cast<const char *>(nullptr), "", ":", "::"}) {
    const Options options = parse(text);
    EXPECT_STREQ(options.profile, "qdadvise.%p.qdprof");
    EXPECT_TRUE(options.enabled);
    EXPECT_TRUE(options.threaded);
    EXPECT_EQ(options.slices, 1u);
    EXPECT_THAT(complaints, IsEmpty());
  }
}

TEST(Options, ReadsEveryKey) {
  const Options options = parse(
      "profile=/a/b=c:enabled=0:threaded=0:verbose=1:signal=SIGUSR2:max_locks=12:max_sections=34:"
      "path_sites='a.cc:7,b.cc':path_depth=3:max_paths=56:slices=100");
  EXPECT_STREQ(options.profile, "/a/b=c");
  EXPECT_FALSE(options.enabled);
  EXPECT_FALSE(options.threaded);
  EXPECT_TRUE(options.verbose);
  EXPECT_EQ(options.signal, SIGUSR2);
  EXPECT_EQ(options.limits.maxLocks, 12u);
  EXPECT_EQ(options.limits.maxSections, 34u);
  EXPECT_STREQ(options.pathSites, "a.cc:7,b.cc");
  EXPECT_EQ(options.pathDepth, 3u);
  EXPECT_EQ(options.maxPaths, 56u);
  EXPECT_EQ(options.slices, 100u);
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(Options, NeverIsMoreThanNotYet) {
  EXPECT_FALSE(parse("enabled=0").never);
  EXPECT_TRUE(parse("enabled=never").never);
  EXPECT_FALSE(parse("enabled=never").enabled);
  EXPECT_FALSE(parse("enabled=never:enabled=1").never) << "the last one counts";
  EXPECT_TRUE(parse("enabled=never:enabled=1").enabled);
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(Options, SlicesByLoadBeginWithAll) {
  const Options options = parse("slices=auto");
  EXPECT_TRUE(options.slicesByLoad);
  EXPECT_EQ(options.slices, 1u);
  EXPECT_FALSE(parse("slices=auto:slices=3").slicesByLoad);
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(Options, AKeyThatWasDroppedNamesWhatIsBetter) {
  for (const char *text : {"counters_only=1", "counters_only=sites"}) {
    parse(text);
    EXPECT_THAT(complaints, ElementsAre(HasSubstr("slices=100")));
  }
}

TEST(Options, ValuesInQuotesMayHaveColons) {
  EXPECT_STREQ(parse("profile=\"/a:b\":enabled=0").profile, "/a:b");
  EXPECT_STREQ(parse("profile='/a\":b'").profile, "/a\":b");
  EXPECT_STREQ(parse("profile=/a'b:enabled=0").profile, "/a'b") << "quotes are the first thing";
  EXPECT_THAT(complaints, IsEmpty());
  EXPECT_STREQ(parse("profile='/a:enabled=0").profile, "'/a:enabled=0") << "never closed";
}

TEST(Options, SignalsByNameOrNumber) {
  EXPECT_EQ(parse("signal=USR1").signal, SIGUSR1);
  EXPECT_EQ(parse("signal=10").signal, 10);
  EXPECT_EQ(parse("signal=INT").signal, SIGINT);
  EXPECT_EQ(parse("signal=SIGTERM").signal, SIGTERM);
  for (const char *text : {"signal=9", "signal=KILL", "signal=SIGSTOP", "signal=NONE", "signal=0",
                           "signal=100", "signal="}) {
    EXPECT_EQ(parse(text).signal, 0) << text;
    EXPECT_EQ(complaints.size(), 1u) << text;
  }
}

TEST(Options, AMalformedKeyCostsOneLineAndKeepsTheRest) {
  const Options options = parse("enabled=maybe:verbose=1");
  EXPECT_TRUE(options.enabled);
  EXPECT_TRUE(options.verbose);
  EXPECT_THAT(complaints, ElementsAre(HasSubstr("'enabled=maybe'")));
  parse("bogus=1");
  EXPECT_THAT(complaints, ElementsAre(HasSubstr("unknown key")));
  parse("verbose");
  EXPECT_THAT(complaints, ElementsAre(HasSubstr("want key=value")));
  for (const char *text : {"max_locks=-1", "max_locks=0", "max_locks=99999999999999999999999",
                           "max_sections=x", "max_sections="}) {
    EXPECT_EQ(parse(text).limits.maxLocks, Limits{}.maxLocks) << text;
    EXPECT_EQ(complaints.size(), 1u) << text;
  }
}

TEST(Options, ALongPathIsRefused) {
  const std::string text = "profile=" + std::string(5000, 'x');
  EXPECT_STREQ(parse(text.c_str()).profile, Options{}.profile);
  EXPECT_EQ(complaints.size(), 1u);
}

TEST(ExpandPattern, PutsInPidHostAndProgram) {
  char out[64];
  ASSERT_TRUE(expandPattern("d/%b-%h-%p.%%x", 42, "host", "prog", out, sizeof out));
  EXPECT_STREQ(out, "d/prog-host-42.%x");
  ASSERT_TRUE(expandPattern("%q%", 1, "h", "b", out, sizeof out));
  EXPECT_STREQ(out, "%q%");
}

TEST(Options, TellsProcessesApartOnce) {
  const auto apart = [](const char *pattern) {
    Options options;
    std::strcpy(options.profile, pattern);
    EXPECT_TRUE(options.tellProcessesApart());
    return std::string(options.profile);
  };
  EXPECT_EQ(apart("a.qdprof"), "a.qdprof.%p");
  EXPECT_EQ(apart("a.%p.qdprof"), "a.%p.qdprof");
  EXPECT_EQ(apart("100%%p"), "100%%p.%p");
  EXPECT_EQ(apart("100%%%p"), "100%%%p");
  EXPECT_EQ(apart("100%"), "100%.%p");
  Options full;
  std::memset(full.profile, 'a', sizeof full.profile - 1);
  EXPECT_FALSE(full.tellProcessesApart());
}

TEST(ExpandPattern, RefusesWhatDoesNotFit) {
  char out[8];
  EXPECT_FALSE(expandPattern("%b", 1, "h", "a-long-program", out, sizeof out));
}

} // namespace
