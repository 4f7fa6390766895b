// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the simulator with exact results on random networks: with locks that cost nothing and
// exponential times, mean value analysis is exact. Prints how many figures lie within the
// simulation's 95 % intervals. Fails where they are fewer than 92 %, where one lies beyond four
// half-widths, or where an interval is wider than asked for (1 % to each side). Waiting times count
// from 2 % of the holding time on. Half the width takes four times the work.
//
//   bench-exactness [networks] [seed] [percent]
#include "RandomNetworks.h"
#include "advisor/machine/BundledMachines.h"
#include "advisor/model/Predict.h"
#include "advisor/sim/Simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <string>

namespace {

using namespace qdadvise;
using namespace qdadvise::sim;
using namespace qdadvise::test;

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

constexpr double leastWait = 0.02; ///< over the holding time

struct Tally {
  double precision;
  int compared = 0, inside = 0, wide = 0;
  double worst = 0; ///< in half-widths
  void add(double exact, double simulated, const Interval &interval) {
    const double halfWidth = (interval.high - interval.low) / 2;
    const double error = std::abs(exact - simulated);
    ++compared;
    inside += error <= halfWidth * (1 + 1e-9) + 1e-9 * exact;
    wide += halfWidth > precision * simulated * (1 + 1e-9);
    if (error > 1e-9 * exact)
      worst = std::max(worst, error / halfWidth);
  }
};

} // namespace

int main(int argc, char **argv) {
  const int networks = argc > 1 ? std::atoi(argv[1]) : 20;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  const double percent = argc > 3 ? std::atof(argv[3]) : 1;
  if (networks < 1 || percent <= 0) {
    fmt::print(stderr, "usage: bench-exactness [networks] [seed] [percent]\n");
    return 2;
  }
  const std::vector<int> threads{1, 2, 4, 8, 16, 32, 64};
  const Machine machine = genericMachine();
  Tally throughput{percent / 100}, wait{percent / 100};
  std::uint64_t sections = 0;
  const auto begin = Clock::now();
  for (int i = 0; i < networks; ++i) {
    const auto networkBegin = Clock::now();
    const Network network = randomNetwork(seed + static_cast<std::uint64_t>(i));
    const auto exact = predictSweep(network, LockKind::ideal, machine, threads, {.model = "exact"});
    SweepOptions options;
    options.seed = seed + static_cast<std::uint64_t>(i);
    options.precision = percent / 100;
    options.waitFloor = leastWait;
    options.mostSteps = std::numeric_limits<std::uint64_t>::max();
    const auto simulated = simulateSweep(network, {LockKind::ideal}, machine, threads, options);
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
        if (truth.locks[lock].waitNs >= leastWait * network.sections[lock].hold.mean)
          wait.add(truth.locks[lock].waitNs, figures.figures.locks[lock].waitNs,
                   figures.locks[lock].waitNs);
    }
    fmt::print(
        "network {:>2}, {} locks: {} of {} inside so far, worst {:.2f} half-widths, {:.1f} s\n",
        i + 1, network.locks.size(), throughput.inside + wait.inside,
        throughput.compared + wait.compared, std::max(throughput.worst, wait.worst),
        secondsSince(networkBegin));
    std::fflush(stdout);
  }
  bool holds = true;
  for (const auto &[name, tally] : {std::pair{"throughput", throughput}, {"waiting time", wait}}) {
    const double share = 100.0 * tally.inside / tally.compared;
    const bool good = share >= 92 && tally.worst <= 4 && tally.wide == 0;
    holds = holds && good;
    fmt::print("{:<13} {:>5} comparisons, {:5.1f} % inside, worst {:.2f} half-widths, {} wider "
               "than {:g} %: {}\n",
               name, tally.compared, share, tally.worst, tally.wide, percent,
               good ? "good" : "BAD");
  }
  fmt::print("{:.3g} sections in {:.1f} s\n", static_cast<double>(sections), secondsSince(begin));
  return holds ? 0 : 1;
}
