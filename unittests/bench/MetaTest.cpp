// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/meta/Measure.h"

#include <gtest/gtest.h>

namespace qdadvise::meta {
namespace {

TEST(FifoQueue, GivesBackInOrderAndCounts) {
  FifoQueue queue;
  Randomness random(1);
  for (int i = 0; i < 10'000; ++i)
    queue.operate(random);
  EXPECT_EQ(queue.operations(), 10'000u);
  EXPECT_TRUE(queue.intact());
}

TEST(PairingHeap, GivesBackTheLeastAndCounts) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    PairingHeap heap;
    Randomness random(seed);
    for (int i = 0; i < 300; ++i)
      heap.operate(random);
    EXPECT_EQ(heap.operations(), 300u);
    EXPECT_TRUE(heap.intact()) << "seed " << seed;
    EXPECT_TRUE(heap.intact()) << "empty, seed " << seed;
  }
}

TEST(PairingHeap, NoticesDamage) {
  PairingHeap heap;
  Randomness random(1);
  for (int i = 0; i < 301; ++i)
    heap.operate(random);
  PairingHeap torn = heap; // as if one update of the root had been lost
  reinterpret_cast<std::uint16_t *>(&torn)[0] = 0;
  EXPECT_TRUE(heap.intact());
  EXPECT_FALSE(torn.intact());
}

TEST(Stretches, HaveTheirMeanWhateverTheSeed) {
  for (const bool exponential : {true, false})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      double section = 0, local = 0, square = 0;
      const auto stretches = drawStretches(exponential, seed);
      for (const Stretch &one : stretches) {
        section += one.section;
        local += one.local;
        square += static_cast<double>(one.section) * one.section;
      }
      const auto count = static_cast<double>(stretches.size());
      EXPECT_NEAR(section / count, 1, 1e-3);
      EXPECT_NEAR(local / count, 1, 1e-3);
      EXPECT_NEAR(square / count, exponential ? 2 : 1, 0.02);
    }
}

TEST(Amounts, MakeUpForWhatARoundTakesAnyway) {
  Configuration configuration;
  configuration.sectionNs = 1010;
  configuration.localNs = 3010;
  Calibration calibration;
  calibration.operationNs = {5, 10};
  calibration.turnNs = 2;
  calibration.roundNs = {20, 20};
  const Amounts amounts = amountsOf(configuration, calibration);
  EXPECT_DOUBLE_EQ(amounts.operations[fifo], 200);
  EXPECT_DOUBLE_EQ(amounts.operations[heap], 100);
  EXPECT_DOUBLE_EQ(amounts.turns, 1500);
}

template <typename Lock> void expectIntact() {
  Configuration configuration;
  configuration.threads = 4;
  configuration.seconds = 0.02;
  configuration.warmUpSeconds = 0;
  configuration.timed = true;
  Amounts amounts;
  amounts.operations = {5, 5};
  amounts.turns = 20;
  const Measured measured = measure<Lock>(configuration, amounts);
  EXPECT_TRUE(measured.intact) << Lock::name;
  EXPECT_GT(measured.sections[fifo] + measured.sections[heap], 0u) << Lock::name;
}

TEST(Measure, EveryLockKeepsTheStructuresIntact) {
  expectIntact<Mutex>();
  expectIntact<Spinlock>();
  expectIntact<Delegation>();
  expectIntact<Nothing>();
}

} // namespace
} // namespace qdadvise::meta
