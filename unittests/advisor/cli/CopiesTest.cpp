// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/record/Copies.h"

#include "advisor/machine/calibration/Topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// A copy that ran so long, for some of it with all others, and took so much processor time.
MeasuredRun ran(double seconds, double togetherS, double ownS) {
  MeasuredRun run;
  run.seconds = seconds;
  run.togetherS = togetherS;
  run.ownS = ownS;
  return run;
}

/// Ends as the script does in each copy.
CopiesResult resultOf(const std::string &script, int status = 0) {
  CopiesRequest request;
  request.numbers = {1}; // one processor is enough for that
  request.command = {"sh", "-c", script};
  request.status = status;
  return measureCopies(request).value();
}

} // namespace

TEST(Copies, ThatEndTogetherTakeTheirMean) {
  EXPECT_DOUBLE_EQ(besideS({ran(2, 2, 1.2), ran(2, 2, 1.4)}, 1).value(), 1.3);
  EXPECT_DOUBLE_EQ(besideS({ran(2, 2, 0.9), ran(2, 2, 0.9)}, 1).value(), 0.9);
}

TEST(Copies, AreTakenToGoAsFastAsAloneOnceTheFirstHasEnded) {
  // Half as fast for 1.6 s, 0.8 s of the work; then 0.2 s more.
  const double s = besideS({ran(1.6, 1.6, 1.6), ran(1.8, 1.6, 1.8)}, 1).value();
  EXPECT_DOUBLE_EQ(s, (1.6 + 2) / 2);
}

TEST(Copies, ThatHardlyRunAtTheSameTimeTellNothing) {
  EXPECT_FALSE(besideS({ran(1, 1, 1), ran(2, 1, 1)}, 1)) << "one waits for the other";
  EXPECT_FALSE(besideS({ran(0, 0, 0)}, 1));
  EXPECT_FALSE(besideS({ran(10, 8, 10)}, 1)) << "it did more than all of its work afterwards";
}

TEST(Copies, AreNoMoreThanTheProcessors) {
  const std::size_t processors = readTopology().processors.size();
  EXPECT_THAT(parseCopies(std::to_string(processors + 1)).error().message,
              testing::StartsWith("--copies " + std::to_string(processors + 1) + ": there "));
  EXPECT_THAT(parseCopies("1").error().message, HasSubstr("give numbers from 2 to"));
  EXPECT_THAT(parseCopies("two").error().message, HasSubstr("--copies two: give numbers"));
  if (processors >= 2) {
    EXPECT_THAT(parseCopies("2").value(), ElementsAre(2));
  }
}

TEST(Copies, KnowTheirNumbers) {
  EXPECT_THAT(commandOfCopy({"server", "--port=700{copy}"}, 2),
              ElementsAre("server", "--port=7002"));
  EXPECT_EQ(variableOfCopy(3), "QDADVISE_COPY=3");
}

TEST(Copies, ThatFailSaySo) {
  const CopiesResult failed = resultOf("echo no more room >&2; exit 3");
  EXPECT_THAT(failed.rounds, testing::IsEmpty());
  EXPECT_THAT(failed.problem, HasSubstr("ended with status 3, the recorded run with 0 (\"no more "
                                        "room\")"));
  // As the recorded run did is no failure, but this one is over at once.
  EXPECT_THAT(resultOf("exit 3", 3).problem, HasSubstr("of processor time"));
}
