// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/model/solver/HardwareThreads.h"

#include "advisor/model/solver/IndependentParts.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace qdadvise {

namespace {

/// The largest change of the stretch that is none, and how often it is looked for. A step is at
/// most an eighth of the one before where a core computes half as fast for two.
constexpr double tolerance = 1e-4;
constexpr int mostSteps = 20;

bool knowsCores(const SolverProblem &problem) {
  return std::any_of(problem.kinds.begin(), problem.kinds.end(),
                     [](LockKind kind) { return kind != LockKind::ideal; });
}

Network stretched(Network network, double factor) {
  for (Section &section : network.sections)
    section.hold.mean *= factor;
  return network;
}

std::vector<Traffic> stretched(std::vector<Traffic> traffic, double factor) {
  for (Traffic &one : traffic)
    one.computeNs *= factor;
  return traffic;
}

/// The mean number of threads that compute.
double computingThreads(const SolverProblem &problem, const Solution &solution) {
  double computing = 0;
  for (std::size_t i = 0; i < problem.traffic.size(); ++i)
    computing += solution.classes[i].cyclesPerNs *
                 (aloneNs(problem.network, problem.traffic[i]) - problem.traffic[i].blockedNs);
  return computing;
}

/// How many threads run at a time.
double running(const SolverProblem &problem, int threads, const SolverOptions &options) {
  return std::min<double>(populationOf(problem.network, problem.traffic, threads), options.cores);
}

Expected<Solution> solveOne(const SolverProblem &problem, int threads,
                            const SolverOptions &options) {
  const double atATime = running(problem, threads, options);
  double stretch = 1;
  for (int step = 0;; ++step) {
    const Network network = stretched(problem.network, stretch);
    const std::vector<Traffic> traffic = stretched(problem.traffic, stretch);
    const SolverProblem longer{network, problem.kinds, problem.machine, traffic};
    auto solutions = TRY(solveInParts(longer, {threads}, options));
    const double computing = std::min(1.0, computingThreads(longer, solutions.front()) / atATime);
    const double next = sharedCoreStretch(problem.machine, atATime, computing);
    if (step == mostSteps || std::abs(next - stretch) <= tolerance * stretch)
      return std::move(solutions.front());
    stretch = next;
  }
}

} // namespace

double sharedCoreStretch(const Machine &machine, double threads, double computing) {
  const double beside = threads > 0 ? machine.threadsBesideOthers(threads) / threads : 0;
  const double others = machine.threadsPerCore - 1;
  const double met = 1 - std::pow(1 - std::clamp(computing, 0.0, 1.0), others);
  const double among = 1 / (1 - met * (1 - 1 / machine.sharedCoreFactor()));
  return 1 + beside * (among - 1);
}

Expected<std::vector<Solution>> solveOnSharedCores(const SolverProblem &problem,
                                                   const std::vector<int> &threads,
                                                   const SolverOptions &options) {
  if (problem.machine.threadsPerCore == 1 || problem.machine.sharedCoreFactor() == 1 ||
      !knowsCores(problem))
    return solveInParts(problem, threads, options);
  // Numbers of threads that have a core each are solved together, as they come first.
  const auto shared = std::find_if(threads.begin(), threads.end(), [&](int count) {
    return problem.machine.threadsBesideOthers(running(problem, count, options)) > 0;
  });
  std::vector<Solution> result;
  if (shared != threads.begin())
    result = TRY(solveInParts(problem, {threads.begin(), shared}, options));
  for (auto count = shared; count != threads.end(); ++count) {
    auto solution = TRY(solveOne(problem, *count, options));
    result.push_back(std::move(solution));
  }
  return result;
}

} // namespace qdadvise
