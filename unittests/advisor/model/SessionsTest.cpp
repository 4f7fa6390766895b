// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that come back to the lock that they had last.
#include "advisor/model/decomposition/Sessions.h"

#include "Networks.h"
#include "advisor/model/Predict.h"
#include "advisor/model/decomposition/IsolatedStation.h"

#include <cmath>
#include <gtest/gtest.h>

namespace qdadvise {

namespace {

using namespace test;

std::vector<double> remaining(int threads, double awayNs) {
  std::vector<double> rates;
  for (int n = 0; n < threads; ++n)
    rates.push_back((threads - n) / awayNs);
  return rates;
}

TEST(MachineRepair, IsTheMarkovChainOfPhases) {
  for (const double cv2 : {0.5, 0.25, 1.0})
    for (const int threads : {1, 2, 5, 30}) {
      const IsolatedStation station{fitTwoMoments(300, cv2), {1}, {}};
      const std::vector<double> arrivals = remaining(threads, 700);
      EXPECT_NEAR(machineRepair({300, cv2, 700}, threads).back() /
                      solveIsolated(station, arrivals).arrivalRate(arrivals),
                  1, cv2 == 0.5 ? 1e-2 : 1e-6)
          << cv2 << " " << threads;
    }
}

/// Of two threads the other one is met by who is away for less than a section.
TEST(MachineRepair, IsTheClosedFormForTwoThreadsAndConstantTimes) {
  for (const double awayNs : {1.0, 100.0, 1000.0, 1e6}) {
    const double waitNs = 300 - awayNs * (1 - std::exp(-300 / awayNs));
    EXPECT_NEAR(machineRepair({300, 0, awayNs}, 2)[2] * (300 + awayNs + waitNs) / 2, 1, 1e-5);
  }
}

TEST(MachineRepair, EndsAtWhatTheLockServes) {
  const std::vector<double> rates = machineRepair({1000, 0, 1}, 4096);
  ASSERT_EQ(rates.size(), 4097);
  for (std::size_t m = 1; m < rates.size(); ++m) {
    EXPECT_GE(rates[m], rates[m - 1]);
    EXPECT_LE(rates[m], 1e-3 * (1 + 1e-12));
  }
  EXPECT_NEAR(rates.back(), 1e-3, 1e-9);
}

/// Threads that are back at once gather at the lock: then all wait for all, however times vary.
/// Where they are away for long, it is Pollaczek and Khinchine's formula.
TEST(Sessions, SeeVariationTheMoreTheLongerThreadsAreAway) {
  const std::vector<double> arrivals(200, 1.0 / 500); // 300 ns: the lock is taken 0.6 of the time
  for (const double cv2 : {0.0, 0.5, 2.0}) {
    const auto relative = [&](double awayNs) {
      return relativeWaitInSessions({300, cv2, awayNs}, arrivals, 1.0 / 500);
    };
    EXPECT_NEAR(relative(1), 1, 0.01) << cv2;
    EXPECT_NEAR(relative(30'000), (1 + cv2) / 2, 0.05) << cv2;
    double last = std::abs(relative(1) - 1);
    for (const double awayNs : {100.0, 300.0, 1000.0, 10'000.0}) {
      EXPECT_GT(std::abs(relative(awayNs) - 1), last) << cv2 << " " << awayNs;
      last = std::abs(relative(awayNs) - 1);
    }
  }
}

/// All threads are in a session, and no other lock there.
TEST(Sessions, AreAllThreadsIfAllAreStillToCome) {
  const std::vector<double> arrivals = remaining(5, 700);
  const double perNs = machineRepair({300, 1, 700}, 5).back();
  const auto waitNs = [](double rate) { return 5 / rate - 1000; };
  EXPECT_NEAR(relativeWaitInSessions({300, 0.25, 700}, arrivals, perNs),
              waitNs(machineRepair({300, 0.25, 700}, 5).back()) / waitNs(perNs), 0.01);
}

Network sticky(double again, double cv0, double cv1) {
  Network network = networkOf({{0.5, 370, cv0}, {0.5, 200, cv1}}, 100);
  for (Transition &transition : network.transitions)
    transition.probability = transition.from == transition.to ? again : 1 - again;
  return network;
}

double waitNs(const Network &network, int threads, const char *model) {
  const std::vector<LockKind> kinds(network.locks.size(), LockKind::ideal);
  const auto result = predict(network, kinds, machineOf(64), threads, {0, model});
  EXPECT_TRUE(result) << result.error().message;
  return result ? result->locks[1].waitNs : 0;
}

/// The same of whole networks, at the lock that is not always taken. Without (DEC11), or with
/// threads seen to leave the other lock as regularly as they come there, waits are up to 18 % too
/// short.
TEST(Sessions, MakeNetworksOfThreadsThatStayWhatTheirMarkovChainIs) {
  for (const double again : {0.75, 0.9, 0.97})
    for (const auto &[cv0, cv1] : {std::pair{1.0, 0.7}, std::pair{0.7, 1.0}, std::pair{0.7, 0.7}})
      for (const int threads : {3, 4}) {
        const Network network = sticky(again, cv0, cv1);
        EXPECT_NEAR(waitNs(network, threads, "marie") / waitNs(network, threads, "markov"), 1, 0.05)
            << again << " " << cv0 << " " << cv1 << " " << threads;
      }
}

} // namespace

} // namespace qdadvise
