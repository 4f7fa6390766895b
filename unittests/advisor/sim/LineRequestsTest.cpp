// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/sim/LineRequests.h"

#include <array>
#include <gtest/gtest.h>

namespace qdadvise::sim {

namespace {

constexpr std::uint32_t cores = 8;

MulticoreCosts costsOfTest(int threadsPerCore, int sockets) {
  MulticoreCosts costs;
  costs.cores = cores;
  costs.threadsPerCore = threadsPerCore;
  costs.sameCore = 7;
  costs.sockets = sockets;
  costs.sameSocket = 100;
  costs.crossSocket = 300;
  costs.request = 40;
  costs.copy = 60;
  costs.copyInterval = 20;
  return costs;
}

/// A thread on each processor, and one line.
struct Parts {
  explicit Parts(std::uint64_t seed = 1, int threadsPerCore = 1, int sockets = 1)
      : costs(costsOfTest(threadsPerCore, sockets)),
        requests(threads, events, caches, costs, seed) {
    for (std::uint32_t id = 0; id < cores; ++id) {
      threads.emplace_back().id = id;
      threads.back().core = id;
      events.set(id, 1000); // then all of them ask
    }
  }
  /// Lets events of waiting requests happen; returns the threads in the order of arrival.
  std::vector<std::pair<std::uint32_t, Time>> play() {
    std::vector<std::pair<std::uint32_t, Time>> arrivals;
    for (Time at = events.earliest(); at != never; at = events.earliest()) {
      MulticoreThread &thread = threads[events.first()];
      events.clear(thread.id);
      if (thread.request.line)
        requests.goOn(thread, at);
      else
        arrivals.emplace_back(thread.id, at);
    }
    return arrivals;
  }

  MulticoreCosts costs;
  std::vector<MulticoreThread> threads;
  EventQueue events{cores};
  Caches caches{costs};
  LineRequests requests;
  CacheLine &line = caches.at(reinterpret_cast<const void *>(0x1000));
};

} // namespace

TEST(LineRequests, TakeATransferWhereNobodyElseAsks) {
  Parts parts;
  parts.events = EventQueue(cores);
  EXPECT_EQ(parts.requests.ask(parts.threads[0], parts.line, Need::alone, 1000), 1100);
  EXPECT_EQ(parts.requests.ask(parts.threads[1], parts.line, Need::copy, 2000), 2100);
}

TEST(LineRequests, LeaveTheLineToItsOwnerUntilTheyArrive) {
  Parts parts;
  parts.events = EventQueue(cores);
  parts.requests.ask(parts.threads[0], parts.line, Need::alone, 1000);
  parts.events.set(7, 2010); // something happens meanwhile
  EXPECT_EQ(parts.requests.ask(parts.threads[1], parts.line, Need::alone, 2000), std::nullopt);
  EXPECT_TRUE(parts.caches.has(parts.line, 0, Need::alone, 2039).has_value());
  parts.events.clear(7);
  EXPECT_EQ(parts.play().front().second, 2100);
  EXPECT_FALSE(parts.caches.has(parts.line, 0, Need::alone, 2100).has_value());
}

TEST(LineRequests, AreServedOneAtATime) {
  Parts parts;
  for (MulticoreThread &thread : parts.threads)
    EXPECT_EQ(parts.requests.ask(thread, parts.line, Need::alone, 1000), std::nullopt);
  const auto arrivals = parts.play();
  ASSERT_EQ(arrivals.size(), cores);
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    EXPECT_EQ(arrivals[i].second, 1100 + 100 * static_cast<Time>(i));
}

/// Each of eight requests that wait is the first, and the last, one time in eight.
TEST(LineRequests, AreServedInAnyOrder) {
  std::array<int, cores> first{}, last{};
  constexpr int tries = 8000;
  for (int seed = 1; seed <= tries; ++seed) {
    Parts parts(static_cast<std::uint64_t>(seed) * 7919);
    parts.requests.ask(parts.threads[0], parts.line, Need::alone, 1000);
    for (std::uint32_t id = 1; id < cores; ++id)
      parts.requests.ask(parts.threads[id], parts.line, Need::alone, 1100); // the line is busy
    const auto arrivals = parts.play();
    ++first[arrivals[1].first];
    ++last[arrivals.back().first];
  }
  for (std::uint32_t id = 1; id < cores; ++id) {
    EXPECT_NEAR(first[id], tries / 7, 170) << id; // more than five standard deviations
    EXPECT_NEAR(last[id], tries / 7, 170) << id;
  }
}

/// Several wait in another socket: the owner keeps the line while the next request is sent to it,
/// which does not make the transfer longer.
TEST(LineRequests, AreSentToTheOwnerInAnotherSocket) {
  int tries = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Parts parts(seed * 7919, 1, 2);
    parts.events = EventQueue(cores);
    parts.requests.ask(parts.threads[0], parts.line, Need::alone, 1000);
    parts.events.set(7, 1010); // something happens meanwhile
    for (const std::uint32_t id : {1U, 4U, 5U, 6U})
      parts.requests.ask(parts.threads[id], parts.line, Need::alone, 1000);
    parts.events.clear(7);
    if (parts.events.first() != 1) // the one of the owner's socket
      continue;
    ++tries;
    parts.requests.goOn(parts.threads[1], parts.events.earliest());
    EXPECT_EQ(parts.events.earliest(), 1200); // it has the line
    parts.events.clear(1);
    EXPECT_EQ(parts.events.earliest(), 1240);
    EXPECT_TRUE(parts.caches.has(parts.line, 1, Need::alone, 1239).has_value());
    MulticoreThread &next = parts.threads[parts.events.first()];
    parts.requests.goOn(next, 1240);
    EXPECT_EQ(parts.events.at(next.id), 1500);
  }
  EXPECT_GT(tries, 0);
}

/// Who gets a line that another core waits for keeps it, and the next transfer takes no longer.
TEST(LineRequests, LeaveALineToItsNewOwnerForAWhile) {
  Parts parts;
  parts.costs.kept = 30;
  parts.events = EventQueue(cores);
  parts.requests.ask(parts.threads[0], parts.line, Need::alone, 1000);
  parts.events.set(7, 1010); // something happens meanwhile
  for (const std::uint32_t id : {1U, 2U})
    parts.requests.ask(parts.threads[id], parts.line, Need::alone, 1000);
  parts.events.clear(7);
  EXPECT_EQ(parts.events.earliest(), 1130) << "thread 0 has it since 1100";
  EXPECT_TRUE(parts.caches.has(parts.line, 0, Need::alone, 1129).has_value());
  const auto arrivals = parts.play();
  ASSERT_EQ(arrivals.size(), 2u);
  EXPECT_EQ(arrivals[0].second, 1200);
  EXPECT_EQ(arrivals[1].second, 1300);
}

TEST(LineRequests, OfThreadsOfACoreAreServedTogether) {
  Parts parts(1, 2);
  for (const std::uint32_t id : {1U, 5U, 2U}) // processors 1 and 5 are one core
    parts.requests.ask(parts.threads[id], parts.line, Need::alone, 1000);
  for (const std::uint32_t id : {0U, 3U, 4U, 6U, 7U})
    parts.events.clear(id);
  std::array<Time, cores> there{};
  for (const auto &[id, at] : parts.play())
    there[id] = at;
  EXPECT_EQ(std::abs(there[1] - there[5]), 7);
  EXPECT_GE(std::abs(there[1] - there[2]), 93);
}

} // namespace qdadvise::sim
