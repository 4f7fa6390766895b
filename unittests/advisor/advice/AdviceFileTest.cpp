// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/advice/AdviceFile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

AdviceFile sample() {
  Advice qd;
  qd.file = "src/db.cc";
  qd.function = "Db::get(const std::string &)";
  qd.expression = "this->shards_[i].\"m\"\\";
  qd.line = 42;
  qd.column = 5;
  qd.ordinal = 2;
  qd.sectionHash = 0xfedcba9876543210; // above what TOML's integers hold
  qd.lock = "Db::m";
  qd.today = "pthread_mutex";
  qd.advised = "qd";
  qd.label = "QD lock";
  qd.keep = false;
  qd.threads = 16;
  qd.contentionRate = 0.7125;
  qd.speedup = 2.3;
  qd.low = 2.0;
  qd.high = 2.6;
  qd.waitNs = {{"pthread mutex", 8200}, {"QD lock", 1.0 / 3.0}};
  qd.scaling = {{1, 5e5, 4.5e5}, {16, 1e6, 7e6 / 3}};
  qd.reasons = {"waited for", "it's \"so\"\nand so"};
  qd.obstacles = {"'return' leaves it"};
  qd.whatIfs = {"what if it were 4 locks: 1.3x (1.1x to 1.6x)"};
  qd.apply = "control-flow";
  Advice keep;
  keep.file = "src/k\xc3\xb6nig.cc";
  keep.function = "main";
  keep.expression = "&lock";
  keep.lock = "lock";
  keep.today = keep.advised = "pthread_mutex";
  keep.label = "pthread mutex";
  keep.threads = 16;
  return {.program = "kvstore",
          .machine = "big",
          .date = "2026-11-20",
          .machineSource = "assumed",
          .threads = 16,
          .cores = 32,
          .together = AdvisedGain{2.5, 2.1, 3.1},
          .wholeRun = AdvisedGain{1.9, 1.8, 2.0},
          .advice = {qd, keep}};
}

const char *const minimalEntry = "threads = 4\n"
                                 "[[advice]]\n"
                                 "lock = 'm'\n"
                                 "today = 'pthread_mutex'\n"
                                 "advised = 'qd'\n"
                                 "site = { file = 'a.c', function = 'f', expression = '&m' }\n";

TEST(AdviceFile, WhatIsPrintedReadsBackTheSame) {
  const AdviceFile file = sample();
  const Expected<AdviceFile> again = parseAdvice(printAdvice(file), "advice.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->program, "kvstore");
  EXPECT_EQ(again->machine, "big");
  EXPECT_EQ(again->date, "2026-11-20");
  EXPECT_EQ(again->machineSource, "assumed");
  EXPECT_EQ(again->threads, 16);
  EXPECT_EQ(again->cores, 32);
  ASSERT_TRUE(again->together && again->wholeRun);
  EXPECT_EQ(again->together->speedup, 2.5);
  EXPECT_EQ(again->together->low, 2.1);
  EXPECT_EQ(again->together->high, 3.1);
  EXPECT_EQ(again->wholeRun->speedup, 1.9);
  ASSERT_EQ(again->advice.size(), 2u);
  for (std::size_t i = 0; i != 2; ++i) {
    const Advice &want = file.advice[i], &got = again->advice[i];
    EXPECT_EQ(got.file, want.file);
    EXPECT_EQ(got.function, want.function);
    EXPECT_EQ(got.expression, want.expression);
    EXPECT_EQ(got.line, want.line);
    EXPECT_EQ(got.column, want.column);
    EXPECT_EQ(got.ordinal, want.ordinal);
    EXPECT_EQ(got.sectionHash, want.sectionHash);
    EXPECT_EQ(got.lock, want.lock);
    EXPECT_EQ(got.today, want.today);
    EXPECT_EQ(got.advised, want.advised);
    EXPECT_EQ(got.label, want.label);
    EXPECT_EQ(got.keep, want.keep);
    EXPECT_EQ(got.threads, want.threads);
    EXPECT_EQ(got.contentionRate, want.contentionRate);
    EXPECT_EQ(got.speedup, want.speedup);
    EXPECT_EQ(got.low, want.low);
    EXPECT_EQ(got.high, want.high);
    EXPECT_EQ(got.waitNs, want.waitNs);
    ASSERT_EQ(got.scaling.size(), want.scaling.size());
    for (std::size_t point = 0; point != want.scaling.size(); ++point) {
      EXPECT_EQ(got.scaling[point].threads, want.scaling[point].threads);
      EXPECT_EQ(got.scaling[point].today, want.scaling[point].today);
      EXPECT_EQ(got.scaling[point].advised, want.scaling[point].advised);
    }
    EXPECT_EQ(got.reasons, want.reasons);
    EXPECT_EQ(got.obstacles, want.obstacles);
    EXPECT_EQ(got.whatIfs, want.whatIfs);
    EXPECT_EQ(got.apply, want.apply);
  }
  EXPECT_EQ(printAdvice(*again), printAdvice(file));
}

TEST(AdviceFile, SaysThatItHoldsPredictions) {
  EXPECT_THAT(printAdvice(sample()), HasSubstr("predictions, not measurements"));
}

TEST(AdviceFile, OptionalKeysMayBeAbsent) {
  const Expected<AdviceFile> result = parseAdvice(minimalEntry, "advice.toml");
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->advice.size(), 1u);
  const Advice &advice = result->advice[0];
  EXPECT_FALSE(advice.keep);
  EXPECT_EQ(advice.threads, 4);
  EXPECT_EQ(advice.label, "qd");
  EXPECT_EQ(advice.sectionHash, 0u);
  EXPECT_TRUE(advice.waitNs.empty());
  EXPECT_FALSE(result->together || result->wholeRun);
}

TEST(AdviceFile, WhatHasNoCoresReadsBackToo) {
  const Expected<AdviceFile> once = parseAdvice(minimalEntry, "advice.toml");
  ASSERT_TRUE(once);
  const Expected<AdviceFile> again = parseAdvice(printAdvice(*once), "advice.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->cores, 0);
}

TEST(AdviceFile, NoAdviceIsAValidFile) {
  const Expected<AdviceFile> result = parseAdvice("threads = 4\n", "advice.toml");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->advice.empty());
}

struct Malformed {
  const char *toml, *where, *what;
};

class MalformedAdvice : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedAdvice, IsRefusedAtItsPlace) {
  const Expected<AdviceFile> result = parseAdvice(GetParam().toml, "dir/advice.toml");
  ASSERT_FALSE(result);
  const std::string &error = result.error().message;
  EXPECT_THAT(error, StartsWith(std::string("dir/advice.toml:") + GetParam().where + ": error: "));
  EXPECT_THAT(error, HasSubstr(GetParam().what));
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(
    Files, MalformedAdvice,
    ::testing::Values(
        Malformed{"threads = ", "1:11", "end-of-file"},
        Malformed{"threads = 4\nthreads = 5\n", "2:11", "threads"},
        Malformed{"", "1:1", "'threads' is missing"},
        Malformed{"threads = 0\n", "1:11", "at least 1"},
        Malformed{"threads = 'four'\n", "1:11", "whole number"},
        Malformed{"threads = 4\nadvice = 'none'\n", "2:10", "'advice' must be an array"},
        Malformed{"threads = 4\nadvice = [1]\n", "2:11", "[[advice]]"},
        Malformed{"threads = 4\n[[advice]]\ntoday = 'qd'\nadvised = 'qd'\n", "2:1", "'lock'"},
        Malformed{"threads = 4\n[[advice]]\nlock = 'm'\ntoday = 'qd'\nadvised = 'qd'\n", "2:1",
                  "'site'"},
        Malformed{"threads = 4\n[[advice]]\nlock = 'm'\ntoday = 'qd'\nadvised = 'qd'\n"
                  "site = { file = 'a.c', function = 'f', expression = '&m', line = -1 }\n",
                  "6:66", "at least 0"},
        Malformed{"threads = 4\n[[advice]]\nlock = 'm'\ntoday = 'qd'\nadvised = 'qd'\n"
                  "site = { file = 'a', function = 'f', expression = 'm', section_hash = '0x1' }\n",
                  "6:71", "hexadecimal"},
        Malformed{"threads = 4\n[[advice]]\nlock = 'm'\ntoday = 'qd'\nadvised = 'qd'\n"
                  "interval = [2.0]\n",
                  "6:12", "[low, high]"},
        Malformed{"threads = 4\n[[advice]]\nlock = 'm'\ntoday = 'qd'\nadvised = 'qd'\n"
                  "interval = [2.0, 1.0]\n",
                  "6:12", "[low, high]"},
        Malformed{"threads = 4\n[[advice]]\nlock = 'm'\ntoday = 'qd'\nadvised = 'qd'\n"
                  "speedup = nan\n",
                  "6:11", "finite"},
        Malformed{"threads = 4\n[[advice]]\nlock = 'm'\ntoday = 'qd'\nadvised = 'qd'\n"
                  "reasons = [1]\n",
                  "6:12", "strings"},
        Malformed{"threads = 4\n[[advice]]\nlock = 'm'\ntoday = 'qd'\nadvised = 'qd'\n"
                  "wait_ns = [{ lock = 'qd' }]\n",
                  "6:12", "'mean'"},
        Malformed{"threads = 4\n[[advice]]\nlock = 'm'\ntoday = 'qd'\nadvised = 'qd'\n"
                  "scaling = [{ threads = 2, today = 1 }]\n",
                  "6:12", "'advised'"}));

TEST(AdviceFile, WhatApplyMadeOfItStaysWhereLockPlaceAndAdviceAreTheSame) {
  const AdviceFile old = sample();
  AdviceFile fresh = old;
  fresh.advice[0].apply.clear();
  fresh.advice[0].line += 7;
  fresh.advice[0].speedup = 3;
  keepApplied(fresh, old);
  EXPECT_EQ(fresh.advice[0].apply, "control-flow");
  EXPECT_EQ(fresh.advice[0].speedup, 3);
  for (const auto change : std::vector<void (*)(Advice &)>{
           [](Advice &one) { one.lock = "other"; }, [](Advice &one) { one.advised = "mcs"; },
           [](Advice &one) { one.function = "other"; }, [](Advice &one) { ++one.ordinal; },
           [](Advice &one) { ++one.sectionHash; }}) {
    AdviceFile other = old;
    other.advice[0].apply.clear();
    change(other.advice[0]);
    keepApplied(other, old);
    EXPECT_EQ(other.advice[0].apply, "");
  }
}

TEST(AdviceFile, AMissingFileIsAnErrorThatNamesIt) {
  EXPECT_THAT(readAdvice("no/such/advice.toml").error().message, HasSubstr("no/such/advice.toml"));
}

} // namespace
} // namespace qdadvise
