// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scheduler and the spin-waits of the virtual multicore, without any thread that really runs.
#include "advisor/sim/Scheduler.h"

#include <gtest/gtest.h>

namespace qdadvise::sim {

namespace {

MulticoreCosts costsOf(int cores) {
  MulticoreCosts costs;
  costs.cores = cores;
  costs.sameSocket = 100;
  costs.hit = 1;
  costs.pause = 39;
  costs.contextSwitch = 1000;
  costs.timeslice = 1'000'000;
  costs.migration = never;
  return costs;
}

struct Parts {
  Parts(int cores, std::uint32_t threadCount) : Parts(costsOf(cores), threadCount) {}
  Parts(const MulticoreCosts &given, std::uint32_t threadCount) : costs(given) {
    for (std::uint32_t id = 0; id < threadCount; ++id)
      threads.emplace_back().id = id;
    scheduler.start();
  }

  MulticoreCosts costs;
  std::vector<MulticoreThread> threads;
  EventQueue events;
  Caches caches{costs};
  LineRequests requests{threads, events, caches, costs, 1};
  SpinWaits spins{threads, events, caches, requests, costs};
  Scheduler scheduler{threads, events, spins, costs, 1};
};

using State = MulticoreThread::State;

} // namespace

TEST(Scheduler, GivesEachThreadACoreWhereThereAreEnough) {
  Parts parts(2, 2);
  EXPECT_EQ(parts.threads[0].state, State::onCore);
  EXPECT_EQ(parts.threads[1].state, State::onCore);
  EXPECT_NE(parts.threads[0].core, parts.threads[1].core);
  EXPECT_FALSE(parts.scheduler.isWanted(0));
}

TEST(Scheduler, BeginsAtTheFirstProcessorThatItIsTold) {
  MulticoreCosts costs = costsOf(4);
  costs.firstProcessor = 3;
  Parts parts(costs, 2);
  EXPECT_EQ(parts.threads[0].core, 3u);
  EXPECT_EQ(parts.threads[1].core, 0u);
}

TEST(Scheduler, GivesAReleasedCoreToTheNextThread) {
  Parts parts(1, 2);
  EXPECT_TRUE(parts.scheduler.isWanted(0));
  EXPECT_EQ(parts.threads[1].state, State::ready);
  parts.events.clear(0);
  parts.scheduler.release(parts.threads[0], 5000);
  EXPECT_EQ(parts.threads[1].state, State::onCore);
  EXPECT_EQ(parts.events.at(1), 6000);
  EXPECT_FALSE(parts.scheduler.isWanted(0));
}

TEST(Scheduler, LetsAThreadYieldToOthersOnly) {
  Parts alone(1, 1), shared(1, 2);
  EXPECT_FALSE(alone.scheduler.yield(alone.threads[0]));
  EXPECT_TRUE(shared.scheduler.yield(shared.threads[0]));
  EXPECT_EQ(shared.threads[0].state, State::ready);
  EXPECT_EQ(shared.threads[1].state, State::onCore);
}

TEST(Scheduler, TakesTheCoreAtATickFromTheThreadThatHasRunMore) {
  Parts parts(1, 2);
  parts.events.set(0, 3'000'000);
  parts.scheduler.tick(0, 1'000'000);
  EXPECT_EQ(parts.threads[0].state, State::ready);
  EXPECT_EQ(parts.threads[0].remaining, 2'000'000);
  EXPECT_EQ(parts.threads[1].state, State::onCore);
}

TEST(Scheduler, PutsAWokenThreadOnAnIdleCore) {
  Parts parts(2, 3); // the third thread waits for the first core
  parts.events.clear(1);
  parts.threads[1].state = State::asleep;
  parts.scheduler.release(parts.threads[1], 1000);
  EXPECT_EQ(parts.scheduler.coreFor(parts.threads[1], 2000), 1u);
  parts.scheduler.makeRunnable(parts.threads[1], 2000);
  EXPECT_EQ(parts.threads[1].state, State::onCore);
  EXPECT_EQ(parts.threads[1].core, 1u);
}

TEST(SpinWaits, LookAgainAtTheEndOfTheirTurnWhenTheLineIsWritten) {
  Parts parts(2, 2);
  MulticoreThread &thread = parts.threads[0];
  const int word = 0;
  CacheLine &line = parts.caches.at(&word);
  parts.caches.serve(line, 0, Need::copy, 0, 0);
  thread.spinsOn = &line;
  parts.events.clear(0);
  parts.spins.watch(thread, 1000, false);
  EXPECT_EQ(parts.events.at(0), never);
  parts.spins.wake(line, 1050); // turns take 40
  EXPECT_EQ(parts.events.at(0), 1080);
  EXPECT_EQ(thread.turns, 2u);
}

TEST(SpinWaits, StopWatchingALine) {
  Parts parts(2, 2);
  MulticoreThread &thread = parts.threads[0];
  const int word = 0;
  CacheLine &line = parts.caches.at(&word);
  parts.caches.serve(line, 0, Need::copy, 0, 0);
  thread.spinsOn = &line;
  parts.spins.watch(thread, 1000, false);
  parts.spins.leave(thread);
  EXPECT_TRUE(line.spinners.empty());
  EXPECT_EQ(thread.spin, MulticoreThread::Spin::no);
}

} // namespace qdadvise::sim
