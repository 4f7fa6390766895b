// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What distinguishes published locks and instructions from others of nearly the same name.
#include "advisor/sim/Simulate.h"
#include "bench/published/Locks.h"

#include <gtest/gtest.h>
#include <string>

namespace qdadvise::publication {
namespace {

/// Two sockets of two cores.
Machine described() {
  Machine machine;
  machine.cores = 4;
  machine.scheduler["timeslice_ns"].value = 3'000'000;
  machine.wakeup = {{1000, 2000, 1000}};
  machine.sockets = 2;
  machine.placement = ThreadPlacement::sockets;
  machine.line["atomic_ns"].value = 6;
  machine.line["transfer_same_socket_ns"].value = 50;
  machine.line["transfer_cross_socket_ns"].value = 150;
  return machine;
}

/// From one operation of any thread to the next, where some time lies between two of one thread.
double intervalNs(const sim::SimulatedKind &kind, int threads, double localNs,
                  int firstProcessor = 0) {
  Network network;
  network.classes.push_back({"threads"});
  network.locks.push_back({"word", kind.kind, 1, {}});
  Section section;
  section.name = "operation";
  section.hold = {0, 0, Distribution::deterministic};
  network.sections.push_back(section);
  Transition next;
  next.probability = 1;
  next.local = {localNs, 0.2, Distribution::uniform};
  network.transitions.push_back(next);
  const auto found = sim::simulateLocks(network, {&kind}, described(), threads,
                                        {.precision = 0.05, .firstProcessor = firstProcessor});
  EXPECT_TRUE(found) << found.error().message;
  return found ? 1e9 / found->figures.throughputPerS : 0;
}

double intervalNs(const std::string &name, int threads, double localNs, int firstProcessor = 0) {
  return intervalNs(findLock(name)->kind, threads, localNs, firstProcessor);
}

TEST(PublishedLocks, CompareAndSwapUsesWhatItLoads) {
  const double both = intervalNs("cas-loop", 1, 50), atomic = intervalNs("fetch-add", 1, 50);
  EXPECT_NEAR(both - atomic, 1.6 + 0.25, 0.2);
}

TEST(PublishedLocks, AnInvertedWordIsOftenAsItWasExpected) {
  EXPECT_NEAR(intervalNs("fetch-xor", 1, 50), intervalNs("cas-loop", 1, 50), 0.2);
  EXPECT_LT(intervalNs("fetch-xor", 4, 1), 0.9 * intervalNs("cas-loop", 4, 1));
}

TEST(PublishedLocks, DistributedMutexPassesOverThoseWithoutAProcessor) {
  const PublishedLock *const lock = findLock("distributed-mutex");
  sim::SimulatedKind strict = lock->kind;
  strict.make = lock->makeModelled;
  EXPECT_LT(intervalNs(lock->kind, 8, 2000), 0.5 * intervalNs(strict, 8, 2000));
}

TEST(PublishedLocks, LiblocksThreadsLeaveTheFirstCoreToAServer) {
  const int first = findLock("flat-combining")->firstProcessor;
  EXPECT_EQ(first, 1);
  EXPECT_EQ(findLock("mcs")->firstProcessor, 0);
  // So its two threads are in two sockets here.
  EXPECT_GT(intervalNs("flat-combining", 2, 50, first), 1.5 * intervalNs("flat-combining", 2, 50));
}

} // namespace
} // namespace qdadvise::publication
