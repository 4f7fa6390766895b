// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of locks under contention, on a machine of two sockets with sixteen cores
// each. `qdadvise simulate` prints the same curves: docs/results/simulator.md.
#include "RandomNetworks.h"
#include "advisor/machine/Machine.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/sim/Simulate.h"

#include <gtest/gtest.h>
#include <map>

namespace qdadvise::sim {

namespace {

using namespace test;

class TwoSockets : public testing::Test {
protected:
  double copyNs = 15;

  /// Sections per second.
  double throughput(const Network &network, LockKind kind, int threads, int cores = 0,
                    int dataLines = 0) {
    auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
    EXPECT_TRUE(machine) << machine.error().message;
    machine->placement = ThreadPlacement::sockets;
    machine->line["copy_ns"].value = machine->line["copy_interval_ns"].value = copyNs;
    const auto result = simulate(network, {kind}, *machine, threads,
                                 {.cores = cores, .precision = 0.03, .dataLines = dataLines});
    EXPECT_TRUE(result) << result.error().message;
    return result->figures.throughputPerS;
  }
};

/// S. Boyd-Wickizer, M. F. Kaashoek, R. Morris and N. Zeldovich, "Non-scalable locks are
/// dangerous", Linux Symposium 2012: once a short section is contended, each further core makes
/// the ticket lock slower; a lock whose waiters look
/// at words of their own keeps what it has.
class Collapse : public TwoSockets {
protected:
  /// On the paper's machine a line's home hands out one copy at a time.
  Collapse() { copyNs = 50; }
  const Network network = networkOf({{400, 1}}, {1}, {4000, 1});
};

TEST_F(Collapse, OfTheTicketLock) {
  std::map<int, double> at;
  for (const int cores : {2, 8, 12, 16, 32, 48})
    at[cores] = throughput(network, LockKind::ticket, cores, cores);
  EXPECT_GT(at[8], 3 * at[2]); // scales, until the lock is saturated
  EXPECT_LT(at[12], at[8]);
  EXPECT_LT(at[16], at[12]);
  EXPECT_LT(at[32], at[16]);
  EXPECT_LT(at[48], at[32]);
  EXPECT_LT(at[48], 0.5 * at[8]);
}

TEST_F(Collapse, IsNotTheMcsLocks) {
  for (const LockKind kind : {LockKind::mcs, LockKind::clh}) {
    std::map<int, double> at;
    for (const int cores : {2, 12, 16, 32, 48})
      at[cores] = throughput(network, kind, cores, cores);
    EXPECT_GT(at[12], 3 * at[2]) << nameOf(kind);
    EXPECT_GT(at[16], 0.95 * at[12]) << nameOf(kind); // saturated, on one socket
    // A handoff to another socket costs more, once and for all.
    EXPECT_GT(at[32], 0.7 * at[16]) << nameOf(kind);
    EXPECT_GT(at[48], 0.9 * at[32]) << nameOf(kind);
  }
}

/// Figure 1 of the 2015 paper: threads that do little but use one priority queue. Locks that
/// are taken and released, Pthreads' and CLH, fall below one thread; QD outperforms them
/// clearly; from a second socket on, all of them lose.
TEST_F(TwoSockets, QdBeatsLocksThatMoveTheDataInTheOrderOfFigure1) {
  const Network queue = networkOf({{250, 1}}, {1}, {200, 1});
  std::map<LockKind, std::map<int, double>> at;
  for (const LockKind kind : {LockKind::qd, LockKind::clh, LockKind::pthreadMutex})
    for (const int threads : {1, 16, 32})
      at[kind][threads] = throughput(queue, kind, threads, 0, 4);
  for (const int threads : {16, 32}) {
    EXPECT_GT(at[LockKind::qd][threads], 1.5 * at[LockKind::clh][threads]) << threads << " threads";
    EXPECT_GT(at[LockKind::clh][threads], at[LockKind::pthreadMutex][threads])
        << threads << " threads";
    for (const LockKind kind : {LockKind::clh, LockKind::pthreadMutex})
      EXPECT_LT(at[kind][threads], 0.9 * at[kind][1])
          << nameOf(kind) << ", " << threads << " threads";
  }
  EXPECT_GT(at[LockKind::qd][16], at[LockKind::qd][1]);
  for (const auto &[kind, curve] : at)
    EXPECT_LT(curve.at(32), curve.at(16)) << nameOf(kind);
}

} // namespace

} // namespace qdadvise::sim
