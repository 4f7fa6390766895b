// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What moves, against threads that take turns at random.
#include "advisor/network/DataMovement.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace qdadvise {

namespace {

/// Sockets of four cores, each line a microsecond away, or three from another socket.
Machine machineOf(int cores, int sockets = 1) {
  Machine machine;
  machine.cores = cores;
  machine.sockets = sockets;
  machine.line["transfer_same_socket_ns"].value = 1000;
  machine.line["transfer_cross_socket_ns"].value = 3000;
  return machine;
}

/// A line that one execution in so many writes and the others read: how often it has to move for
/// them, per execution, and the footprint that this is, counted over turns of `threads`.
struct Turns {
  double moves = 0;
  Footprint footprint;
};
Turns takeTurns(int threads, double writes, bool handed) {
  constexpr int executions = 400'000;
  std::minstd_rand random(1);
  std::vector<bool> has(static_cast<std::size_t>(threads), false);
  std::map<int, int> readAfter, writtenAfter;
  int readers = 0, moves = 0, last = 0;
  for (int i = 0; i < executions; ++i) {
    auto thread = static_cast<int>(random() % static_cast<unsigned>(threads - handed));
    thread += handed && thread >= last ? 1 : 0;
    last = thread;
    const auto here = static_cast<std::size_t>(thread);
    if (std::uniform_real_distribution<>(0, 1)(random) < writes) {
      ++writtenAfter[readers];
      // Exclusive, if nobody else has it.
      moves += !has[here] || std::count(has.begin(), has.end(), true) > 1;
      std::fill(has.begin(), has.end(), false);
      readers = 0;
    } else {
      ++readAfter[readers++];
      moves += !has[here];
    }
    has[here] = true;
  }
  Turns result{static_cast<double>(moves) / executions, {}};
  for (const auto &[after, count] : readAfter)
    result.footprint.read.push_back({double(after), double(count) / executions});
  for (const auto &[after, count] : writtenAfter)
    result.footprint.written.push_back({double(after), double(count) / executions});
  return result;
}

TEST(DataMovement, IsThatOfThreadsInTurns) {
  for (const int threads : {2, 3, 8})
    for (const double writes : {1.0, 0.5, 0.1}) {
      const DataMovement movement{machineOf(threads)};
      const Turns any = takeTurns(threads, writes, false);
      EXPECT_NEAR(movement(any.footprint, threads).free, 1000 * any.moves, 5)
          << threads << " " << writes;
      if (writes == 1) {
        const Turns others = takeTurns(threads, writes, true);
        EXPECT_NEAR(movement(others.footprint, threads).handed, 1000 * others.moves, 5);
      }
    }
}

TEST(DataMovement, IsZeroWhereNothingCanMove) {
  const Footprint footprint{{{0, 2}}, {{1, 3}}};
  for (const auto &[threads, cores] : {std::pair(1, 8), std::pair(0, 8), std::pair(8, 1)}) {
    const MovementTimes times = DataMovement(machineOf(cores))(footprint, threads);
    EXPECT_EQ(times.free, 0);
    EXPECT_EQ(times.handed, 0);
  }
  EXPECT_EQ(DataMovement(machineOf(8))({}, 8).handed, 0);
  Machine unknown = machineOf(8);
  unknown.line.clear();
  EXPECT_EQ(DataMovement(unknown)(footprint, 8).handed, 0);
}

TEST(DataMovement, GrowsWithThreadsUpToTheCores) {
  const Footprint footprint{{{0, 1}}, {{0, 1}, {2, 1}}};
  const DataMovement movement(machineOf(4));
  double last = 0;
  for (int threads = 2; threads <= 4; ++threads) {
    const MovementTimes times = movement(footprint, threads);
    EXPECT_GT(times.free, last);
    EXPECT_GE(times.handed, times.free);
    last = times.free;
  }
  EXPECT_EQ(movement(footprint, 4).free, movement(footprint, 400).free);
  // The next of many threads is on any of the cores.
  EXPECT_NEAR(movement(footprint, 1e6).handed / last, 1, 1e-5);
}

TEST(DataMovement, CostsWhatLinesCost) {
  const Footprint footprint{{}, {{0, 8}}};
  EXPECT_DOUBLE_EQ(DataMovement(machineOf(4))(footprint, 2).handed, 1000 + 7 * 250);
  // Four of the seven others are on the other socket.
  EXPECT_DOUBLE_EQ(DataMovement(machineOf(8, 2))(footprint, 8).handed, 2750 * (3 + 4 * 3) / 7.0);
  Machine overlapping = machineOf(4);
  overlapping.movedLines.rows = {{1, 1000}, {16, 4000}};
  EXPECT_DOUBLE_EQ(DataMovement(overlapping)(footprint, 2).handed, 1000 + 3000 * 7 / 15.0);
  // All of them move, or none: half of that, not what half of them take.
  EXPECT_DOUBLE_EQ(DataMovement(overlapping)(footprint, 2).free, 500 + 1500 * 7 / 15.0);
}

TEST(DataMovement, WaitsForEachLineThatSaysWhereTheNextIs) {
  Machine machine = machineOf(4);
  machine.movedLines.rows = {{1, 1000}, {4, 2500}};
  machine.chainedLines.rows = {{1, 1000}, {4, 4600}};
  const auto handedNs = [&](double chained) {
    return DataMovement(machine)({{}, {{0, 4}}, chained}, 2).handed;
  };
  EXPECT_DOUBLE_EQ(handedNs(0), 2500);
  EXPECT_DOUBLE_EQ(handedNs(1), 4600);
  EXPECT_DOUBLE_EQ(handedNs(0.5), 1500 + 2200) << "two of each kind";
}

TEST(DataMovement, CountsThreadsByHowOftenTheyCome) {
  EXPECT_DOUBLE_EQ(evenVisitors({{4, 1}}), 4);
  EXPECT_DOUBLE_EQ(evenVisitors({{4, 2}, {2, 1}}), 6) << "all alike";
  EXPECT_NEAR(evenVisitors({{4, 1}, {100, 1e-9}}), 4, 1e-6) << "hardly ever";
  EXPECT_DOUBLE_EQ(evenVisitors({{1, 1}, {1, 1}, {5, 0}}), 2);
  EXPECT_EQ(evenVisitors({}), 0);
}

} // namespace

} // namespace qdadvise
