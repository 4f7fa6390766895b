// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/report/verify/VerificationText.h"
#include "advisor/report/verify/VerificationJson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

using namespace qdadvise;
using testing::HasSubstr;

namespace {

Verification sample() {
  Verification verification;
  verification.host = "vm";
  verification.processors = 2;
  verification.beyond = {4, 16};
  VerifiedThreads one;
  one.threads = 1;
  one.isPinned = true;
  one.before.assign(6, 0.5);
  one.after.assign(6, 0.52);
  VerifiedThreads two = one;
  two.threads = 2;
  two.isPinned = false;
  two.after.assign(6, 0.25);
  two.predicted = PredictedGain{1.8, 1.5, 2.2};
  verification.measured = {one, two};
  return verification;
}

} // namespace

TEST(VerificationTextTest, saysWhatWasMeasuredAndPredicted) {
  const std::string text = verificationText(sample(), {});
  EXPECT_THAT(text, HasSubstr("1 pinned     0.5 s   0.52 s  0.96x (0.96x to 0.96x)  -\n"));
  EXPECT_THAT(text, HasSubstr("2            0.5 s   0.25 s  2.0x (2.0x to 2.0x)     "
                              "1.80x (1.50x to 2.20x)\n"));
  EXPECT_THAT(text, HasSubstr("With 1 thread, pinned, the change is a loss.\n"));
  EXPECT_THAT(text, HasSubstr("With 2 threads the change is a gain, in agreement with the "
                              "prediction.\n"));
  EXPECT_THAT(text, HasSubstr("Nothing was measured with 4 and 16 threads: there are only 2 "
                              "processors here.\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 80U) << line;
}

TEST(VerificationTextTest, noDifferenceIsNoGain) {
  Verification verification = sample();
  verification.measured[1].after = {0.4, 0.6, 0.4, 0.6, 0.4, 0.6};
  EXPECT_THAT(verificationText(verification, {}),
              HasSubstr("With 2 threads no difference is seen; less was measured than predicted."));
}

TEST(VerificationTextTest, jsonHasTheSame) {
  const nlohmann::ordered_json json = verificationJson(sample());
  EXPECT_EQ(json["loss"], true);
  EXPECT_EQ(json["not_measured"], nlohmann::ordered_json({4, 16}));
  EXPECT_EQ(json["measured"][0]["predicted"], nullptr);
  EXPECT_EQ(json["measured"][1]["gain"], 2.0);
  EXPECT_EQ(json["measured"][1]["loss"], false);
  EXPECT_EQ(json["measured"][1]["predicted"]["fit"], "agrees");
  EXPECT_EQ(json["measured"][1]["before"]["values"].size(), 6U);
}
