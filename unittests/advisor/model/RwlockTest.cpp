// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// glibc's reader-writer lock: the chain of two threads against its protocol, event by event,
// and its limits. Many threads are followed in
// unittests/advisor/sim/SleepingLocksTest.cpp.
#include "Networks.h"
#include "advisor/machine/BundledMachines.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/model/Predict.h"
#include "advisor/model/locks/MutexModel.h"
#include "advisor/model/locks/RwlockModel.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace qdadvise {

namespace {

using namespace test;

/// Simulates two threads and one lock in continuous time.
class TwoThreads {
public:
  TwoThreads(double readNs, double writeNs, double share, double awayNs, const Machine &machine)
      : readNs(readNs), writeNs(writeNs), share(share), awayNs(awayNs), machine(machine) {}

  /// Sections per nanosecond.
  double run(int sections) {
    for (Thread &thread : threads)
      leave(thread, 0);
    double now = 0;
    for (done = 0; done < sections;) {
      const std::size_t next = threads[0].at <= threads[1].at ? 0 : 1;
      now = threads[next].at;
      step(threads[next], threads[1 - next], now);
    }
    return done / now;
  }

private:
  enum class Does { nothing, tries, holds, dozesOff, sleeps, wakesUp };
  struct Thread {
    Does does = Does::nothing;
    double at = 0; ///< of its next event
    bool reads = false;
    bool owns = false; ///< has been handed the lock, whatever it does
    double since = 0;  ///< when it fell asleep
  };

  double exponential(double mean) {
    return std::exponential_distribution<double>(1 / mean)(random);
  }
  void leave(Thread &thread, double from) {
    thread.reads = std::bernoulli_distribution(share)(random);
    thread.owns = false;
    thread.does = Does::tries;
    thread.at = from + exponential(awayNs);
  }
  void hold(Thread &thread, double from) {
    thread.owns = true;
    thread.does = Does::holds;
    thread.at = from + exponential(thread.reads ? readNs : writeNs);
  }
  void step(Thread &self, Thread &other, double now) {
    switch (self.does) {
    case Does::tries:
    case Does::wakesUp:
      if (self.owns || !other.owns || (self.reads && other.reads))
        return hold(self, now);
      self.does = Does::dozesOff;
      self.at = now + 250;
      self.since = now;
      return;
    case Does::dozesOff:
      if (self.owns || !other.owns) { // the kernel sends it back
        self.does = Does::wakesUp;
        self.at = now + 80;
        return;
      }
      self.does = Does::sleeps;
      self.at = std::numeric_limits<double>::infinity();
      return;
    default:
      release(self, other, now);
    }
  }
  void release(Thread &self, Thread &other, double now) {
    ++done;
    double busy = 0;
    const bool handsOver = self.reads || other.reads;
    if (other.does == Does::sleeps || other.does == Does::dozesOff)
      other.owns = handsOver;
    if (other.does == Does::sleeps) {
      const WakeupCost wakeup = machine.wakeupAfter(now - other.since);
      other.does = Does::wakesUp;
      other.at = now + wakeup.latencyNs;
      busy = wakeup.wakerNs;
    }
    leave(self, now + busy);
  }

  double readNs, writeNs, share, awayNs;
  const Machine &machine;
  std::array<Thread, 2> threads;
  std::mt19937_64 random{1};
  int done = 0;
};

double meanOf(double share, double readNs, double writeNs) {
  return share * readNs + (1 - share) * writeNs;
}

TEST(RwlockModel, FollowsTheProtocolOfTwoThreads) {
  const Machine machine = machineOf(4);
  double sum = 0;
  int count = 0;
  for (const double share : {0.0, 0.3, 0.75, 0.95})
    for (const double write : {400.0, 3000.0, 30'000.0})
      for (const double ratio : {0.5, 1.0, 2.0})
        for (const double local : {0.3, 1.5, 10.0}) {
          const double read = ratio * write, away = local * write;
          const double simulated = TwoThreads(read, write, share, away, machine).run(40'000);
          const RwlockModel model(meanOf(share, read, write), {share, read}, 0, machine);
          const double error = model.two(away).perNs / simulated - 1;
          EXPECT_LT(std::abs(error), 0.30)
              << share << " " << read << " " << write << " " << away << ": " << error;
          sum += std::abs(error);
          ++count;
        }
  EXPECT_LT(sum / count, 0.05);
}

TEST(RwlockModel, WithoutReadersIsTheMutexForTwo) {
  const Machine machine = machineOf(4);
  for (const double hold : {50.0, 1000.0, 40'000.0})
    for (const double away : {0.0, 300.0, 20'000.0}) {
      const MutexModel mutex(hold, 15, machine);
      const RwlockModel rwlock(hold, {}, 15, machine);
      EXPECT_NEAR(rwlock.two(away).perNs / mutex.two(away).perNs, 1, 1e-9);
    }
}

Prediction predicted(const Network &network, int threads, const Machine &machine) {
  const auto at = predict(network, {LockKind::pthreadRwlock}, machine, threads);
  EXPECT_TRUE(at) << at.error().message;
  return *at;
}

/// One lock with a section that reads and one that writes.
Network readersAndWriters(double share, double readNs, double writeNs, double localNs) {
  Network network = networkOf({{share, readNs}, {1 - share, writeNs}}, localNs);
  network.locks.pop_back();
  network.sections[1].lock = 0;
  network.sections[0].shared = true;
  return network;
}

TEST(Rwlock, TwoThreadsAndOneLockAreTheChain) {
  const Machine machine = machineOf(4);
  for (const double share : {0.1, 0.6, 0.95})
    for (const double local : {0.0, 700.0, 50'000.0}) {
      const RwlockModel model(meanOf(share, 3000, 800), {share, 3000}, 20, machine);
      const Prediction at = predicted(readersAndWriters(share, 3000, 800, local), 2, machine);
      EXPECT_NEAR(at.throughputPerS / (1e9 * model.two(local).perNs), 1, 1e-9)
          << share << " " << local;
    }
}

/// A machine on which moving a cache line takes no time.
TEST(Rwlock, ReadersAloneNeverWait) {
  const Machine machine = machineOf(64);
  Network network = networkOf({{1, 5000}}, 1000);
  network.sections[0].shared = true;
  for (const int threads : {1, 2, 8, 64})
    EXPECT_NEAR(predicted(network, threads, machine).throughputPerS, threads / 6020e-9,
                1e-6 / 6020e-9);
}

TEST(Rwlock, MoreReadersCompleteMore) {
  const Machine machine = machineOf(64);
  for (const int threads : {2, 8, 32}) {
    double before = 0;
    for (const double share : {0.5, 0.9, 0.99, 0.999}) {
      const double now =
          predicted(readersAndWriters(share, 4000, 4000, 1000), threads, machine).throughputPerS;
      EXPECT_GT(now, before) << threads << " " << share;
      before = now;
    }
  }
}

/// Read phases of many threads that end by themselves. The throughputs are the virtual multicore's,
/// by `qdadvise simulate --kind pthread_rwlock --machine two-socket-32-core.toml
/// --placement sockets --precision 1 --seed 1`, exponential times.
TEST(Rwlock, ManyThreadsCompleteWhatIsSimulated) {
  auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  machine->placement = ThreadPlacement::sockets; // as the models were fitted
  struct Case {
    double share, readNs, writeNs, localNs;
    int threads;
    double simulatedPerS, tolerance;
  };
  for (const Case &at : {
           Case{1, 1000, 1000, 3000, 8, 1.882e6, 0.03},
           Case{1, 1000, 1000, 3000, 16, 3.522e6, 0.08},
           Case{1, 200, 200, 2000, 16, 3.459e6, 0.08},
           Case{0.999, 1000, 1000, 3000, 8, 1.868e6, 0.05},
           Case{0.999, 5000, 5000, 5000, 8, 7.663e5, 0.05},
           Case{0.99, 1000, 1000, 3000, 12, 2.083e6, 0.06},
           Case{0.99, 5000, 20'000, 5000, 16, 5.827e5, 0.05},
           Case{0.99, 20'000, 80'000, 60'000, 12, 1.34e5, 0.05},
           Case{0.95, 1000, 1000, 3000, 8, 1.046e6, 0.05},
           Case{0.9, 1000, 4000, 3000, 32, 5.272e5, 0.15},
           Case{0.8, 20'000, 20'000, 60'000, 8, 6.733e4, 0.15},
           Case{0.5, 5000, 20'000, 50'000, 16, 5.35e4, 0.08},
           Case{0, 500, 500, 500, 16, 1.028e6, 0.1},
           Case{0, 200, 200, 600, 8, 1.576e6, 0.1},
           Case{0, 5000, 5000, 15'000, 32, 9.493e4, 0.05},
       }) {
    const Network network = readersAndWriters(at.share, at.readNs, at.writeNs, at.localNs);
    EXPECT_NEAR(predicted(network, at.threads, *machine).throughputPerS / at.simulatedPerS, 1,
                at.tolerance)
        << at.share << " " << at.readNs << " " << at.localNs << " " << at.threads;
  }
}

/// There is no threshold between few writers and none, few readers and none, or anywhere else.
TEST(Rwlock, ThroughputIsSmoothInTheShareOfReaders) {
  auto machine = readMachine(QDADVISE_DESCRIPTIONS "/two-socket-32-core.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  machine->placement = ThreadPlacement::sockets; // as the models were fitted
  // So many readers leave gaps. With more, hardly any writers all end up waiting for one.
  const auto at = [&](double share, int threads) {
    return predicted(readersAndWriters(share, 1000, 1000, threads > 16 ? 30'000 : 3000), threads,
                     *machine)
        .throughputPerS;
  };
  for (const int threads : {3, 8, 16, 32}) {
    EXPECT_NEAR(at(1 - 1e-7, threads) / at(1, threads), 1, 1e-3) << threads;
    EXPECT_NEAR(at(1e-7, threads) / at(0, threads), 1, 1e-3) << threads;
    for (double share = 0.01; share < 0.995; share += 0.01)
      EXPECT_NEAR(at(share + 1e-4, threads) / at(share, threads), 1, 0.02)
          << threads << " " << share;
  }
}

/// Writers among themselves are as at a mutex, if moving a cache line takes no time.
TEST(Rwlock, WritersAloneAreAtAMutex) {
  Machine machine = machineOf(32);
  machine.kinds[LockKind::pthreadRwlock] = machine.kinds[LockKind::pthreadMutex];
  for (const double local : {500.0, 20'000.0})
    for (const int threads : {3, 8, 32}) {
      const Network network = readersAndWriters(0, 1000, 1000, local);
      const auto mutex = predict(network, {LockKind::pthreadMutex}, machine, threads);
      ASSERT_TRUE(mutex) << mutex.error().message;
      EXPECT_NEAR(predicted(network, threads, machine).throughputPerS / mutex->throughputPerS, 1,
                  0.01)
          << local << " " << threads;
    }
}

/// Writers alone, at two locks that are both nearly always taken. `qdadvise simulate`, machine
/// generic, +- 0.3 %.
TEST(Rwlock, WritersAtTwoLocksCompleteWhatIsSimulated) {
  const Network network = networkOf({{0.5, 17'488, 0}, {0.5, 15'248, 1}}, 148.3);
  const std::vector<LockKind> kinds(2, LockKind::pthreadRwlock);
  for (const auto &[threads, simulatedPerS] : {std::pair{4, 87'575.0}, {8, 89'960.0}}) {
    const auto found = predict(network, kinds, genericMachine(), threads);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_NEAR(found->throughputPerS / simulatedPerS, 1, 0.065) << threads;
  }
}

/// Readers and writers keep their own times, however long these are.
TEST(Rwlock, UncontendedIsWhatItsSectionsTake) {
  const Machine machine = machineOf(64);
  const Prediction at = predicted(readersAndWriters(0.25, 800, 200, 1e9), 16, machine);
  EXPECT_NEAR(at.locks[0].residenceNs, 0.25 * 800 + 0.75 * 200 + 20, 1);
}

} // namespace

} // namespace qdadvise
