// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Intervals from short profiles of networks whose truth needs no simulation: exponential
// times at ideal locks, which mean value analysis solves exactly.
#include "bench/accuracy/ShortProfiles.h"

#include "advisor/machine/BundledMachines.h"
#include "advisor/model/Predict.h"

#include <gtest/gtest.h>

namespace qdadvise::accuracy {
namespace {

Simulated truthOf(const Case &which) {
  const auto sweep =
      predictSweep(which.network, LockKind::ideal, genericMachine(), {which.threads}, {0, "exact"});
  EXPECT_TRUE(sweep) << sweep.error().message;
  Simulated truth{{sweep->front().throughputPerS, 0}, {}};
  for (const LockPrediction &lock : sweep->front().locks)
    truth.locks.push_back({{lock.waitNs, 0}, lock.residenceNs});
  return truth;
}

double share(const Covered &covered) {
  return static_cast<double>(covered.in) / static_cast<double>(covered.all);
}

TEST(ShortProfiles, IntervalsContainTheTruth) {
  Coverage coverage;
  for (std::uint64_t seed = 0; const Case &which : casesOf(Part::develop)) {
    if (!which.metaMatrix)
      continue;
    const auto found =
        coverageOf(which, LockKind::ideal, genericMachine(), truthOf(which), 500, ++seed);
    ASSERT_TRUE(found) << which.name << ": " << found.error().message;
    coverage.add(*found);
    if (coverage.throughput.all == 300)
      break;
  }
  ASSERT_EQ(coverage.throughput.all, 300u);
  EXPECT_GT(coverage.wait.all, 300u);
  // No fewer than 95 % of them, and no wider than that takes.
  EXPECT_NEAR(share(coverage.throughput), 0.95, 0.03);
  EXPECT_NEAR(share(coverage.wait), 0.95, 0.03);
}

TEST(ShortProfiles, LongOnesAreTheNetwork) {
  const std::vector<Case> cases = casesOf(Part::develop);
  for (std::size_t i = 0; i < 6; ++i) {
    const Case &which = cases[i];
    const auto network = shortProfile(which.network, 200'000, i);
    ASSERT_TRUE(network) << which.name << ": " << network.error().message;
    const auto throughput = [&](const Network &of) {
      return predictSweep(of, LockKind::ideal, genericMachine(), {which.threads}, {0, "recursion"})
          ->front()
          .throughputPerS;
    };
    EXPECT_NEAR(throughput(*network) / throughput(which.network), 1, 0.02) << which.name;
  }
}

} // namespace
} // namespace qdadvise::accuracy
