// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/network/Network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

/// The excerpt of the file format's documentation, completed.
constexpr const char *example = R"(
[[lock]]
name = "fifo"
kind = "pthread_mutex"
instances = 4
shares = [0.7]

[[lock]]
name = "log"
kind = "spinlock"

[[section]]
name = "fifo.push"
lock = "fifo"
hold = { mean = 1000.0, cv = 0.5, samples = 12 }
site = { file = "queue.cc", line = 42, column = 5, function = "Queue::push" }

[[section]]
name = "log.write"
lock = "log"
hold = { mean = 10.0 }
inside = "fifo.push"
visits = 0.25

[[class]]
name = "worker"
weight = 2.0

[[class]]
name = "main"
threads = 1

[[transition]]
class = "worker"
from = "fifo.push"
to = "fifo.push"
probability = 1
local = { mean = 3000.0, dist = "deterministic", blocked = 7.5 }
samples = 11

[[transition]]
class = "main"
from = "fifo.push"
to = "fifo.push"
probability = 1.0
local = { mean = 0 }
)";

TEST(NetworkToml, ReadsEveryKey) {
  const auto network = parseNetwork(example, "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  ASSERT_EQ(network->locks.size(), 2u);
  EXPECT_EQ(network->locks[0].instances, 4u);
  EXPECT_EQ(network->locks[0].shares, std::vector<double>{0.7});
  EXPECT_EQ(network->locks[1].kind, "spinlock");
  ASSERT_EQ(network->sections.size(), 2u);
  EXPECT_EQ(network->sections[0].hold.cv, 0.5);
  EXPECT_EQ(network->sections[0].hold.samples, 12u);
  ASSERT_TRUE(network->sections[0].site);
  EXPECT_EQ(network->sections[0].site->function, "Queue::push");
  EXPECT_EQ(network->sections[1].inside, std::size_t{0});
  EXPECT_EQ(network->sections[1].visits, 0.25);
  EXPECT_EQ(network->sections[1].hold.cv, 1);
  EXPECT_TRUE(network->classes[0].scales);
  EXPECT_EQ(network->classes[0].weight, 2);
  EXPECT_FALSE(network->classes[1].scales);
  EXPECT_EQ(network->classes[1].threads, 1);
  EXPECT_EQ(network->transitions[0].local.dist, Distribution::deterministic);
  EXPECT_EQ(network->transitions[0].local.cv, 0);
  EXPECT_EQ(network->transitions[0].blockedNs, 7.5);
  EXPECT_EQ(network->transitions[0].samples, 11u);
}

TEST(NetworkToml, PrintsWhatReadsBackTheSame) {
  const auto network = parseNetwork(example, "net.toml");
  ASSERT_TRUE(network) << network.error().message;
  const std::string printed = printNetwork(*network);
  const auto again = parseNetwork(printed, "printed.toml");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(printNetwork(*again), printed);
  EXPECT_EQ(again->transitions[0].blockedNs, 7.5);
  EXPECT_EQ(again->sections[0].site->line, 42u);
}

} // namespace

} // namespace qdadvise
