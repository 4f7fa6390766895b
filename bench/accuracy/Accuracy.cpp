// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions against simulations of the lock protocols, on random networks of one
// seed: prints the mean and the 95th percentile of the relative errors per algorithm,
// and fails where a mean exceeds what docs/theory.md states.
//
//   bench-accuracy [networks per algorithm] [seed]
#include "Networks.h"
#include "Simulation.h"
#include "advisor/model/Prediction.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <random>

namespace {

using namespace qdadvise;
using namespace qdadvise::test;

/// What docs/theory.md states of one algorithm: mean relative errors of the throughput and
/// of the waiting time per visit, over all locks.
struct Claim {
  const char *kind;
  double throughput, wait;
};
constexpr Claim claims[] = {
    {"ideal", 0.03, 0.08}, {"qd", 0.04, 0.12}, {"pthread_mutex", 0.09, 0.22}};

struct Errors {
  std::vector<double> values;
  void add(double predicted, double simulated) {
    values.push_back(std::abs(predicted / simulated - 1));
  }
  double mean() const {
    double sum = 0;
    for (const double value : values)
      sum += value;
    return sum / static_cast<double>(values.size());
  }
  double percentile95() {
    std::sort(values.begin(), values.end());
    return values[values.size() * 95 / 100];
  }
};

/// 1 to 6 locks of 100 to 20,000 ns, 2 to 48 threads, cv 0 to 1.5 (1 for the mutex).
bool compare(const Claim &claim, int networks, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto draw = [&](double low, double high) {
    return low * std::pow(high / low, uniform(random));
  };
  const Machine machine = machineOf(64);
  Errors throughput, wait, perLock;
  for (int trial = 0; trial < networks; ++trial) {
    std::vector<SimulatedLock> locks(1 + static_cast<std::size_t>(uniform(random) * 6));
    double sum = 0;
    for (SimulatedLock &lock : locks) {
      lock.kind = claim.kind;
      sum += lock.probability = 0.1 + uniform(random);
      lock.holdNs = draw(100, 20'000);
      lock.cv = lock.kind == "pthread_mutex" ? 1 : 1.5 * uniform(random);
    }
    std::vector<TestLock> testLocks;
    for (SimulatedLock &lock : locks) {
      lock.probability /= sum;
      testLocks.push_back({lock.probability, lock.holdNs, lock.cv});
    }
    const double local = draw(100, 30'000);
    const int threads = static_cast<int>(draw(2, 49));
    const Simulated simulated =
        simulate(locks, local, threads, machine, 60'000, seed + static_cast<std::uint64_t>(trial));
    const auto predicted =
        predict(networkOf(testLocks, local), std::vector<std::string>(locks.size(), claim.kind),
                machine, threads);
    if (!predicted) {
      fmt::print(stderr, "{}\n", predicted.error().message);
      return false;
    }
    throughput.add(predicted->throughputPerS, simulated.throughputPerNs * 1e9);
    double all = 0, simulatedAll = 0;
    for (std::size_t i = 0; i < locks.size(); ++i) {
      // Next to nothing is hard to miss by little, and does not matter.
      if (simulated.waitNs[i] > 0.1 * locks[i].holdNs)
        perLock.add(predicted->locks[i].waitNs, simulated.waitNs[i]);
      all += locks[i].probability * predicted->locks[i].waitNs;
      simulatedAll += locks[i].probability * simulated.waitNs[i];
    }
    wait.add(all, simulatedAll);
  }
  const bool holds = throughput.mean() <= claim.throughput && wait.mean() <= claim.wait;
  fmt::print("{:<14} {:>7.1f} {:>7.1f} {:>9.1f} {:>7.1f} {:>9.1f} {:>7.1f}   {}\n", claim.kind,
             100 * throughput.mean(), 100 * throughput.percentile95(), 100 * wait.mean(),
             100 * wait.percentile95(), 100 * perLock.mean(), 100 * perLock.percentile95(),
             holds ? "as stated" : "WORSE THAN STATED");
  return holds;
}

} // namespace

int main(int argc, char **argv) {
  const int networks = argc > 1 ? std::atoi(argv[1]) : 200;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  if (networks < 1) {
    fmt::print(stderr, "usage: bench-accuracy [networks per algorithm] [seed]\n");
    return 2;
  }
  fmt::print("errors against simulation, %, {} random networks per algorithm, seed {}\n", networks,
             seed);
  fmt::print("{:<14} {:>15} {:>17} {:>17}\n", "", "throughput", "waiting, a visit", "a lock");
  fmt::print("{:<14} {:>7} {:>7} {:>9} {:>7} {:>9} {:>7}\n", "kind", "mean", "95th", "mean", "95th",
             "mean", "95th");
  bool holds = true;
  for (const Claim &claim : claims)
    holds = compare(claim, networks, seed) && holds;
  return holds ? 0 : 1;
}
