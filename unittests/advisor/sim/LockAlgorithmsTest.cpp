// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever reads the table of lock algorithms knows all of its rows. The runtime's, the plugin's
// and the calibration's tests say the same of these.
#include "advisor/machine/BundledMachines.h"
#include "advisor/model/ModelChoice.h"
#include "advisor/model/locks/Station.h"
#include "advisor/network/GivenKind.h"
#include "advisor/sim/DerivedCosts.h"
#include "advisor/sim/SimulatedLocks.h"
#include "runtime/abi/lock_algorithms.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace qdadvise {

namespace {

class EveryAlgorithm : public testing::TestWithParam<LockAlgorithm> {
protected:
  const LockAlgorithm &row = GetParam();
};

TEST_P(EveryAlgorithm, IsFoundByKindNameAndNumber) {
  EXPECT_EQ(findLockAlgorithm(row.kind)->name, row.name);
  EXPECT_EQ(algorithmNamed(std::string(row.name)), row.kind);
  EXPECT_EQ(nameOf(row.kind), std::string(row.name));
  const auto number = static_cast<std::uint32_t>(row.kind);
  EXPECT_EQ(algorithmOfNumber(number), row.isIdeal() ? LockKind::unknown : row.kind);
  EXPECT_EQ(std::count_if(std::begin(lockAlgorithms), std::end(lockAlgorithms),
                          [&](const LockAlgorithm &other) {
                            return other.kind == row.kind || other.name == std::string(row.name) ||
                                   other.label == std::string(row.label);
                          }),
            1);
}

TEST_P(EveryAlgorithm, IsSimulated) { EXPECT_NE(sim::findSimulatedKind(row.kind), nullptr); }

TEST_P(EveryAlgorithm, HasAStationAndAModel) {
  // The simulator tells what a description lacks.
  static const Machine machine = *sim::withSimulatedCosts(genericMachine(), {});
  const auto missing = missingFigure(row.kind, machine);
  EXPECT_FALSE(missing) << missing->message;
  EXPECT_TRUE(std::any_of(predictionModels().begin(), predictionModels().end(),
                          [&](const PredictionModel &model) {
                            return !model.kinds.empty() && isFor(model, row.kind);
                          }));
}

TEST_P(EveryAlgorithm, HasTraitsThatAgree) {
  EXPECT_EQ(row.station == LockStationType::delegation, row.delegates);
  EXPECT_EQ(row.station == LockStationType::handoff, row.spins && !row.delegates);
  EXPECT_EQ(row.station == LockStationType::ideal, row.isIdeal());
  EXPECT_TRUE(row.spins || !(row.fifo || row.waitsApart));
  EXPECT_GT(row.modelError, 0);
  EXPECT_GT(row.waitError, 0);
}

INSTANTIATE_TEST_SUITE_P(, EveryAlgorithm, testing::ValuesIn(lockAlgorithms),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(LockAlgorithms, AnApiCountsAsItsAlgorithm) {
  const auto number = static_cast<std::uint32_t>(LockKind::pthreadSpin);
  EXPECT_EQ(algorithmOfNumber(number), LockKind::spinlock);
  EXPECT_EQ(findLockAlgorithm(LockKind::pthreadSpin), nullptr);
  EXPECT_EQ(algorithmNamed(std::string("pthread_spin")), LockKind::unknown);
}

TEST(LockAlgorithms, OthersAreUnknown) {
  EXPECT_EQ(algorithmOfNumber(0), LockKind::unknown);
  EXPECT_EQ(algorithmOfNumber(4711), LockKind::unknown);
  EXPECT_STREQ(nameOf(LockKind::unknown), "unknown");
}

TEST(GivenKind, KeepsANameThatNobodyKnows) {
  const GivenKind known(std::string("mcs")), futex(std::string("futex"));
  EXPECT_EQ(known, LockKind::mcs);
  EXPECT_EQ(known.name(), "mcs");
  EXPECT_EQ(known.label(), "MCS lock");
  EXPECT_FALSE(futex.isKnown());
  EXPECT_EQ(futex.name(), "futex");
  EXPECT_EQ(futex.label(), "futex");
  EXPECT_EQ(GivenKind(LockKind::unknown).name(), "unknown");
}

} // namespace

} // namespace qdadvise
