// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/workload/Routing.h"

#include <gtest/gtest.h>
#include <random>

namespace qdadvise {

namespace {

/// One lock and one class, with a section for each row of the matrix. Rows of zeros are left out.
Network routed(const std::vector<std::vector<double>> &matrix) {
  Network network;
  network.locks.push_back({"lock", LockKind::pthreadMutex, 1, {}});
  network.classes.push_back({"worker"});
  for (std::size_t from = 0; from < matrix.size(); ++from) {
    Section section;
    section.name = "s" + std::to_string(from);
    section.hold = {100, 1};
    network.sections.push_back(section);
    for (std::size_t to = 0; to < matrix.size(); ++to) {
      Transition transition;
      transition.from = from;
      transition.to = to;
      transition.probability = matrix[from][to];
      transition.local = {100, 1};
      if (transition.probability > 0)
        network.transitions.push_back(transition);
    }
  }
  return network;
}

TEST(Routing, PeriodicCycleVisitsAllAlike) {
  const auto parts = recurrentParts(routed({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}), 0);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_DOUBLE_EQ(parts[0].share, 1);
  for (const double visits : parts[0].visits)
    EXPECT_NEAR(visits, 1.0 / 3, 1e-15);
}

TEST(Routing, TransientSectionsAreNotVisitedInTheLongRun) {
  // Section 0 leads into {1} or {2, 3}, for good.
  const auto parts =
      recurrentParts(routed({{0.5, 0.2, 0.3, 0}, {0, 1, 0, 0}, {0, 0, 0, 1}, {0, 0, 0.5, 0.5}}), 0);
  ASSERT_EQ(parts.size(), 2u);
  double shares = 0;
  for (const RoutingPart &part : parts) {
    shares += part.share;
    EXPECT_EQ(part.visits[0], 0);
    if (part.visits[1] > 0) {
      EXPECT_NEAR(part.share, 0.25 + 0.25 * 0.4, 1e-15);
      EXPECT_EQ(part.visits[1], 1);
    } else {
      EXPECT_NEAR(part.share, 0.5 + 0.25 * 0.6, 1e-15);
      EXPECT_NEAR(part.visits[2], 1.0 / 3, 1e-15);
    }
  }
  EXPECT_NEAR(shares, 1, 1e-15);
}

TEST(Routing, IsStationaryForRandomRows) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int trial = 0; trial < 30; ++trial) {
    const std::size_t size = 2 + static_cast<std::size_t>(trial) % 9;
    std::vector<std::vector<double>> matrix(size, std::vector<double>(size));
    for (auto &row : matrix) {
      double sum = 0;
      // Probabilities over many orders of magnitude.
      for (double &p : row)
        sum += p = std::pow(10, -12 * uniform(random));
      for (double &p : row)
        p /= sum;
    }
    const auto parts = recurrentParts(routed(matrix), 0);
    ASSERT_EQ(parts.size(), 1u);
    for (std::size_t to = 0; to < size; ++to) {
      double in = 0;
      for (std::size_t from = 0; from < size; ++from)
        in += parts[0].visits[from] * matrix[from][to];
      EXPECT_NEAR(in / parts[0].visits[to], 1, 1e-9);
    }
  }
}

TEST(Routing, ClassWithoutTransitionsHasNoParts) {
  Network network = routed({{1}});
  network.classes.push_back({"idle"});
  EXPECT_TRUE(recurrentParts(network, 1).empty());
}

} // namespace

} // namespace qdadvise
