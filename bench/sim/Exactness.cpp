// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator against exact results, on random networks: with locks that cost nothing and
// exponential times, mean value analysis is exact. Prints how many figures lie within the
// simulation's 95 % intervals, and fails where they are fewer than 92 %, where one lies
// beyond four half-widths, or where an interval is wider than 1 % to each side.
//
//   bench-exactness [networks] [seed]
#include "RandomNetworks.h"
#include "advisor/sim/Simulate.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <string>

namespace {

using namespace qdadvise;
using namespace qdadvise::sim;
using namespace qdadvise::test;

struct Tally {
  int compared = 0, inside = 0, wide = 0;
  double worst = 0; ///< in half-widths
  void add(double exact, double simulated, const Interval &interval) {
    const double halfWidth = (interval.high - interval.low) / 2;
    const double error = std::abs(exact - simulated);
    ++compared;
    inside += error <= halfWidth * (1 + 1e-9) + 1e-9 * exact;
    wide += halfWidth > 0.01 * simulated * (1 + 1e-9);
    if (error > 1e-9 * exact)
      worst = std::max(worst, error / halfWidth);
  }
};

} // namespace

int main(int argc, char **argv) {
  const int networks = argc > 1 ? std::atoi(argv[1]) : 20;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  if (networks < 1) {
    fmt::print(stderr, "usage: bench-exactness [networks] [seed]\n");
    return 2;
  }
  const std::vector<int> threads{1, 2, 4, 8, 16, 32, 64};
  const Machine machine = genericMachine();
  Tally throughput, wait;
  std::uint64_t sections = 0;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < networks; ++i) {
    const Network network = randomNetwork(seed + static_cast<std::uint64_t>(i));
    const auto exact = predictSweep(network, "ideal", machine, threads, {.model = "exact"});
    SweepOptions options;
    options.seed = seed + static_cast<std::uint64_t>(i);
    options.waitFloor = 0.02;
    options.mostSteps = 400'000'000;
    const auto simulated = simulateSweep(network, {"ideal"}, machine, threads, options);
    if (!exact || !simulated) {
      fmt::print(stderr, "{}\n", (exact ? simulated.error() : exact.error()).message);
      return 1;
    }
    for (std::size_t at = 0; at < threads.size(); ++at) {
      const Prediction &truth = (*exact)[at];
      const Simulation &figures = (*simulated)[0][at].simulation;
      sections += figures.sections;
      throughput.add(truth.throughputPerS, figures.figures.throughputPerS, figures.throughputPerS);
      for (std::size_t lock = 0; lock < network.locks.size(); ++lock)
        if (truth.locks[lock].waitNs >= 0.02 * network.sections[lock].hold.mean)
          wait.add(truth.locks[lock].waitNs, figures.figures.locks[lock].waitNs,
                   figures.locks[lock].waitNs);
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  bool holds = true;
  for (const auto &[name, tally] : {std::pair{"throughput", throughput}, {"waiting time", wait}}) {
    const double share = 100.0 * tally.inside / tally.compared;
    const bool good = share >= 92 && tally.worst <= 4 && tally.wide == 0;
    holds = holds && good;
    fmt::print("{:<13} {:>5} comparisons, {:5.1f} % inside, worst {:.2f} half-widths, {} wider "
               "than 1 %: {}\n",
               name, tally.compared, share, tally.worst, tally.wide, good ? "good" : "BAD");
  }
  fmt::print("{:.3g} sections in {:.1f} s\n", static_cast<double>(sections), seconds);
  return holds ? 0 : 1;
}
