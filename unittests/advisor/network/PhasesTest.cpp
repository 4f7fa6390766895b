// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/Phases.h"
#include "advisor/network/NetworkReader.h"
#include "advisor/network/NetworkWriter.h"
#include "advisor/network/Validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace qdadvise;
using ::testing::HasSubstr;

namespace {

/// Threads read in the first phase, and read and write in the second.
constexpr const char *readThenWrite = R"(
phases = [0.75, 0.25]

[[lock]]
name = "table"
kind = "pthread_rwlock"

[[section]]
name = "read"
lock = "table"
mode = "shared"
hold = { mean = 100.0, samples = 1000 }
phases = [[0.9, 1], [1.5, 1]]

[[section]]
name = "write"
lock = "table"
hold = { mean = 400.0, samples = 3 }

[[section]]
name = "log"
lock = "table"
hold = { mean = 50.0 }
inside = "read"
visits = 0.5
phases = [[1, 0.8], [1, 2]]

[[class]]
name = "worker"

[[transition]]
class = "worker"
from = "read"
to = "read"
probability = 0.9
local = { mean = 1000.0, samples = 900 }
samples = 900
phases = [[1, 1.1], [0.5, 0.25]]

[[transition]]
class = "worker"
from = "read"
to = "write"
probability = 0.1
local = { mean = 1000.0 }
phases = [[0, 1.1], [0.5, 0.25]]

[[transition]]
class = "worker"
from = "write"
to = "read"
probability = 1
local = { mean = 1000.0 }
phases = [[0, 1.1], [1, 0.25]]
)";

Network readExample() {
  Expected<Network> network = parseNetwork(readThenWrite, "net.toml");
  EXPECT_TRUE(network) << network.error().message;
  return *network;
}

/// What is said of the example with one text instead of another.
std::string refusal(const std::string &from, const std::string &to) {
  std::string text = readThenWrite;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  const auto network = parseNetwork(text, "net.toml");
  return network ? "" : network.error().message;
}

} // namespace

TEST(Phases, HaveWhatHappensInThem) {
  const Network reading = networkOfPhase(readExample(), 0);
  EXPECT_FALSE(validate(reading));
  EXPECT_TRUE(reading.phases.empty());
  EXPECT_DOUBLE_EQ(reading.sections[0].hold.mean, 90);
  EXPECT_DOUBLE_EQ(reading.sections[1].hold.mean, 400);
  EXPECT_DOUBLE_EQ(reading.sections[2].visits, 0.4);
  ASSERT_EQ(reading.transitions.size(), 1u) << "nobody writes";
  EXPECT_EQ(reading.transitions[0].probability, 1);
  EXPECT_DOUBLE_EQ(reading.transitions[0].local.mean, 1100);

  const Network writing = networkOfPhase(readExample(), 1);
  EXPECT_FALSE(validate(writing));
  EXPECT_DOUBLE_EQ(writing.sections[0].hold.mean, 150);
  EXPECT_DOUBLE_EQ(writing.sections[2].visits, 1);
  ASSERT_EQ(writing.transitions.size(), 3u);
  EXPECT_EQ(writing.transitions[1].probability, 0.5);
  EXPECT_DOUBLE_EQ(writing.transitions[2].local.mean, 250);
}

TEST(Phases, HaveTheirShareOfTheObservations) {
  const Network writing = networkOfPhase(readExample(), 1);
  EXPECT_EQ(writing.sections[0].hold.samples, 250u);
  EXPECT_EQ(writing.sections[1].hold.samples, 1u);
  EXPECT_EQ(writing.sections[2].hold.samples, 0u) << "none is no sample";
  EXPECT_EQ(writing.transitions[0].samples, 225u);
  EXPECT_EQ(writing.transitions[0].local.samples, 225u);
}

/// A fix that is tried on a network is tried in all its phases.
TEST(Phases, FollowAChangeOfTheWholeRun) {
  Network changed = readExample();
  changed.sections[0].hold.mean /= 2;
  changed.transitions[0].local.mean *= 3;
  EXPECT_DOUBLE_EQ(networkOfPhase(changed, 1).sections[0].hold.mean, 75);
  EXPECT_DOUBLE_EQ(networkOfPhase(changed, 1).transitions[0].local.mean, 750);
}

TEST(Phases, PrintWhatReadsBackTheSame) {
  const std::string printed = printNetwork(readExample());
  const auto again = parseNetwork(printed, "printed.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(printNetwork(*again), printed);
  EXPECT_EQ(again->phases, (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(again->sections[0].phases[1].hold, 1.5);
  EXPECT_TRUE(again->sections[1].phases.empty());
  EXPECT_EQ(again->sections[2].phases[1].visits, 2);
  EXPECT_EQ(again->transitions[1].phases[0].probability, 0);
  EXPECT_EQ(again->transitions[1].phases[0].local, 1.1);
}

TEST(Phases, AreRefusedWhereTheyCannotBe) {
  EXPECT_THAT(refusal("[0.75, 0.25]", "[0.75, 0.5]"),
              HasSubstr("the shares of 'phases' sum to 1.25 instead of 1"));
  EXPECT_THAT(refusal("[0.75, 0.25]", "[1, 0]"),
              HasSubstr("every share of 'phases' must lie between 0 and 1"));
  EXPECT_THAT(refusal("[0.75, 0.25]", "[0.5, 0.25, 0.25]"),
              HasSubstr("net.toml:8:1: error: section 'read': 2 rows of 'phases' for the network's "
                        "3 phases"));
  EXPECT_THAT(refusal("phases = [0.75, 0.25]", ""),
              HasSubstr("section 'read': 2 rows of 'phases' for the network's 0 phases"));
  EXPECT_THAT(refusal("[1.5, 1]]", "[1.5]]"),
              HasSubstr("a row of 'phases' must be two numbers: the holding time over that of the "
                        "whole run, and visits over those"));
  EXPECT_THAT(refusal("[0.5, 0.25]]", "[0.25, 0.25]]"),
              HasSubstr("in phase 2 of 2: the probabilities from 'read' in class 'worker' sum to "
                        "0.75 instead of 1"));
  EXPECT_THAT(refusal("phases = [[0, 1.1], [1, 0.25]]", "phases = [[0, 1.1], [0, 0.25]]"),
              HasSubstr("in phase 2 of 2: section 'write' has no transition"));
  EXPECT_THAT(refusal("[1, 0.8]", "[1, 0]"),
              HasSubstr("in phase 1 of 2: section 'log': a nested section needs 'visits'"));
  EXPECT_THAT(refusal("[0.9, 1]", "[-1, 1]"), HasSubstr("must not be negative"));
  EXPECT_THAT(refusal("[0.9, 1]", "[nan, 1]"), HasSubstr("phases"));
}
