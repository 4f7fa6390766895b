// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The models are told the costs of the published lock, not those of ours that the description has.
#include "bench/published/LockCosts.h"

#include <gtest/gtest.h>

namespace qdadvise::publication {
namespace {

/// Four cores, whose spinlock and mutex cost what no lock does.
Machine described() {
  Machine machine;
  machine.cores = 4;
  machine.sockets = 1;
  machine.line["transfer_same_socket_ns"].value = 50;
  machine.scheduler["pause_ns"].value = 40;
  machine.scheduler["yield_ns"].value = 300;
  machine.wakeup = {{1000, 2000, 1000}};
  for (const LockKind kind : {LockKind::spinlock, LockKind::pthreadMutex})
    machine.kinds[kind].figures["lock_overhead_ns"].value = 9999;
  machine.kinds[LockKind::spinlock].curves["handover_ns"].rows = {{2, 9999}};
  return machine;
}

double overheadNs(const Machine &machine, LockKind kind) {
  return machine.kinds.at(kind).figures.at("lock_overhead_ns").value;
}

TEST(LockCosts, AreThoseOfThePublishedLock) {
  const auto looks = withCostsOf(*findLock("ttas-pause"), described());
  const auto tries = withCostsOf(*findLock("tas"), described());
  ASSERT_TRUE(looks && tries);
  for (const auto &machine : {*looks, *tries})
    EXPECT_LT(overheadNs(machine, LockKind::spinlock), 100);
  const auto handoff = [](const Machine &machine) {
    return machine.kinds.at(LockKind::spinlock).handoffCurve()(4);
  };
  EXPECT_LT(handoff(*looks), 1000);
  // Whoever waits keeps taking the line from whoever would release the lock.
  EXPECT_GT(handoff(*tries), 1.1 * handoff(*looks));
}

TEST(LockCosts, AreKeptOfTheMutex) {
  const auto machine = withCostsOf(*findLock("mutex"), described());
  ASSERT_TRUE(machine);
  EXPECT_EQ(overheadNs(*machine, LockKind::pthreadMutex), 9999);
}

TEST(LockCosts, KnowOfWaitersThatNeverYield) {
  EXPECT_EQ(withCostsOf(*findLock("ttas-pause"), described())->yieldNs(), 40);
  EXPECT_EQ(withCostsOf(*findLock("micro-spin"), described())->yieldNs(), 300);
}

} // namespace
} // namespace qdadvise::publication
