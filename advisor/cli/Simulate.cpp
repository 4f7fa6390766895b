// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise simulate: the locks themselves, run on a virtual multicore, with any number of
// threads and cores.

#include "advisor/sim/Simulate.h"
#include "advisor/cli/Commands.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/Predictions.h"
#include "advisor/cli/ProgressBar.h"
#include "advisor/model/OverPhases.h"
#include "advisor/network/Phases.h"

#include <fmt/format.h>
#include <limits>
#include <memory>
#include <mutex>

namespace qdadvise {
namespace {

struct SimulateArguments : PredictionArguments {
  int jobs = 0, lines = 0, replications = 4;
  std::uint64_t seed = 1, steps = sim::SimulateOptions{}.mostSteps;
  double precision = 100 * sim::SimulateOptions{}.precision;
};

Interval intervalOf(const sim::Interval &interval) { return {interval.low, interval.high}; }

FigureIntervals intervalsOf(const sim::SimulatedPoint &point) {
  FigureIntervals result{
      intervalOf(point.simulation.throughputPerS), intervalOf(point.speedup), {}};
  for (const sim::LockIntervals &lock : point.simulation.locks)
    result.locks.push_back({intervalOf(lock.waitNs), intervalOf(lock.queueLength),
                            intervalOf(lock.utilization), intervalOf(lock.contentionRate)});
  return result;
}

sim::SweepOptions optionsFor(const SimulateArguments &arguments, int cores) {
  sim::SweepOptions options;
  options.cores = cores;
  options.seed = arguments.seed;
  options.precision = arguments.precision / 100;
  options.mostSteps = arguments.steps;
  options.dataLines = arguments.lines;
  options.hostThreads = arguments.jobs;
  options.replications = arguments.replications;
  return options;
}

using Sweeps = std::vector<std::vector<sim::SimulatedPoint>>; ///< `[kind][threads]`

/// Simulates every algorithm with every number of threads, in each phase of the network, and shows
/// how far it has come.
Expected<std::vector<Sweeps>> simulateAll(const PredictionInput &input, sim::SweepOptions options) {
  const Network &network = input.network.network;
  std::vector<Network> networks;
  for (std::size_t phase = 0; phase < network.phases.size(); ++phase)
    networks.push_back(networkOfPhase(network, phase));
  if (networks.empty())
    networks.push_back(network);
  ProgressBar bar;
  std::mutex oneAtATime;
  std::vector<Sweeps> result;
  options.progress = [&](std::size_t done, std::size_t all) {
    const std::lock_guard guard(oneAtATime);
    done += result.size() * all;
    all *= networks.size();
    bar.show(static_cast<double>(done) / static_cast<double>(all),
             fmt::format("{} of {} simulations", done, all));
  };
  for (const Network &one : networks)
    result.push_back(
        TRY(sim::simulateSweep(one, input.kinds, input.machine.machine, input.threads, options)));
  return result;
}

/// The point of the run as a whole, from that of each phase.
PredictedPoint pointOf(const Network &network, const std::vector<Sweeps> &phases, std::size_t kind,
                       std::size_t threads) {
  std::vector<Prediction> figures;
  std::vector<FigureIntervals> intervals;
  for (const Sweeps &sweeps : phases) {
    figures.push_back(sweeps[kind][threads].simulation.figures);
    intervals.push_back(intervalsOf(sweeps[kind][threads]));
  }
  if (network.phases.empty())
    return {figures.front(), intervals.front(), std::nullopt, {}};
  Prediction whole = overPhases(network, std::move(figures));
  FigureIntervals around = overPhases(network, whole, intervals);
  return {std::move(whole), std::move(around), std::nullopt, {}};
}

Expected<PredictionReport> compute(const PredictionInput &input, const sim::SweepOptions &options) {
  const std::vector<Sweeps> phases = TRY(simulateAll(input, options));
  PredictionReport report = startReport(input);
  report.simulated = true;
  std::size_t simulations = 0, imprecise = 0;
  for (const Sweeps &sweeps : phases)
    for (const auto &sweep : sweeps)
      for (const sim::SimulatedPoint &point : sweep) {
        ++simulations;
        imprecise += point.simulation.precise ? 0 : 1;
      }
  for (std::size_t i = 0; i < input.kinds.size(); ++i) {
    KindPredictions &kind = report.kinds.emplace_back();
    kind.kind = input.kinds[i];
    for (std::size_t j = 0; j < input.threads.size(); ++j)
      kind.points.push_back(pointOf(input.network.network, phases, i, j));
  }
  if (imprecise > 0)
    report.notes.push_back(fmt::format(
        "stopped after {:.3g} million steps, before intervals were within {:g} %: {} of {} "
        "simulations; raise --steps or --precision",
        static_cast<double>(options.mostSteps) / 1e6, 100 * options.precision, imprecise,
        simulations));
  return report;
}

Expected<int> runSimulate(const SimulateArguments &arguments) {
  const PredictionInput input = TRY(loadPredictionInput(arguments));
  TRY(checkWritable(arguments.output));
  return writePrediction(TRY(compute(input, optionsFor(arguments, input.cores))), arguments);
}

} // namespace

void addSimulate(CLI::App &app, int &exitCode) {
  const auto arguments = std::make_shared<SimulateArguments>();
  CLI::App *command = app.add_subcommand(
      "simulate", "The same figures from the locks themselves, run on a virtual multicore");
  addPredictionInput(*command, *arguments);
  command->add_option("--seed", arguments->seed, "Of all that is random (default: 1)")
      ->check(CLI::Range(std::int64_t{0}, std::numeric_limits<std::int64_t>::max()))
      ->type_name("N");
  command
      ->add_option("--precision", arguments->precision,
                   "Half-width of 95 % intervals at which to stop, in % (default: 1)")
      ->check(CLI::Range(0.01, 100.0))
      ->type_name("PERCENT");
  command
      ->add_option("--steps", arguments->steps,
                   "Sections and memory accesses after which to stop in any case")
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{1'000'000'000'000}))
      ->type_name("N");
  command
      ->add_option("--replications", arguments->replications,
                   "Independent runs of each simulation, at least (default: 4)")
      ->check(CLI::Range(1, 64))
      ->type_name("N");
  command
      ->add_option("--lines", arguments->lines,
                   "Cache lines of a lock's data that each section writes (default: 0)")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  command
      ->add_option("--jobs", arguments->jobs,
                   "Simulations at a time (default: as many as there are processors)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  addPredictionOutput(*command, *arguments);
  command->callback([arguments, &exitCode] { exitCode = exitCodeOf(runSimulate(*arguments)); });
}

} // namespace qdadvise
