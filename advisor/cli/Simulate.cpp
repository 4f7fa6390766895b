// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise simulate: the locks themselves, run on a virtual multicore, with any number of
// threads and cores.

#include "advisor/sim/Simulate.h"
#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"
#include "advisor/cli/NetworkInput.h"
#include "advisor/cli/PredictOutput.h"
#include "advisor/cli/ProgressBar.h"

#include <fmt/format.h>
#include <limits>
#include <memory>
#include <mutex>

namespace qdadvise {
namespace {

struct SimulateArguments {
  NetworkArguments input;
  std::string machine, threads, kinds = "all", format, output;
  int cores = 0, jobs = 0, lines = 0;
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

int runSimulate(const SimulateArguments &arguments) {
  const auto config = loadUserConfig();
  if (!config)
    return fail(config.error());
  const auto machine = loadMachine(arguments.machine);
  if (!machine)
    return fail(machine.error());
  const auto kinds = parseKinds(arguments.kinds, KindUse::simulated);
  if (!kinds)
    return fail(kinds.error());
  const auto input = loadNetworkInput(arguments.input, machine->machine);
  if (!input)
    return fail(input.error());
  if (!arguments.output.empty() && arguments.output != "-")
    if (const std::string problem = whyNotWritable(arguments.output); !problem.empty())
      return fail(problem);

  PredictOutput output;
  sim::SweepOptions options;
  options.cores = arguments.cores > 0 ? arguments.cores : config->cores;
  options.seed = arguments.seed;
  options.precision = arguments.precision / 100;
  options.mostSteps = arguments.steps;
  options.dataLines = arguments.lines;
  options.hostThreads = arguments.jobs;
  output.cores = options.cores > 0 ? options.cores : machine->machine.cores;
  const auto threads = threadListFor(arguments.threads, *config, output.cores);
  if (!threads)
    return fail(threads.error());

  ProgressBar bar;
  std::mutex oneAtATime;
  options.progress = [&](std::size_t done, std::size_t all) {
    const std::lock_guard guard(oneAtATime);
    bar.show(static_cast<double>(done) / static_cast<double>(all),
             fmt::format("{} of {} simulations", done, all));
  };
  auto sweeps = sim::simulateSweep(input->network, *kinds, machine->machine, *threads, options);
  bar.clear();
  if (!sweeps)
    return fail(sweeps.error());

  output.simulated = true;
  output.source = input->source;
  output.machine = machine->origin;
  output.notes = input->notes;
  for (const Lock &lock : input->network.locks)
    output.lockNames.push_back(lock.name);
  output.kinds = *kinds;
  std::size_t simulations = 0, imprecise = 0;
  for (auto &sweep : *sweeps) {
    output.predictions.emplace_back();
    output.intervals.emplace_back();
    for (sim::SimulatedPoint &point : sweep) {
      ++simulations;
      imprecise += point.simulation.precise ? 0 : 1;
      output.intervals.back().push_back(intervalsOf(point));
      output.predictions.back().push_back(std::move(point.simulation.figures));
    }
  }
  if (imprecise > 0)
    output.notes.push_back(fmt::format(
        "stopped after {:.3g} million steps, before intervals were within {:g} %: {} of {} "
        "simulations; raise --steps or --precision",
        static_cast<double>(arguments.steps) / 1e6, arguments.precision, imprecise, simulations));
  if (arguments.format == "json") {
    const int code = writeOutput(arguments.output, predictJson(output));
    if (code == exitSuccess)
      for (const std::string &line : output.notes)
        note(line);
    return code;
  }
  return writeOutput(arguments.output, predictText(output, outputStyle(arguments.output)));
}

} // namespace

void addSimulate(CLI::App &app, int &exitCode) {
  const auto arguments = std::make_shared<SimulateArguments>();
  CLI::App *command = app.add_subcommand(
      "simulate", "The same figures from the locks themselves, run on a virtual multicore");
  addNetworkInput(*command, arguments->input);
  addMachineOption(*command, arguments->machine);
  addThreadsOption(*command, arguments->threads);
  addCoresOption(*command, arguments->cores);
  addKindOption(*command, arguments->kinds);
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
      ->add_option("--lines", arguments->lines,
                   "Cache lines of a lock's data that each section writes (default: 0)")
      ->check(CLI::Range(0, 1000))
      ->type_name("N");
  command
      ->add_option("--jobs", arguments->jobs,
                   "Simulations at a time (default: as many as there are processors)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  addFormatOption(*command, arguments->format, {"text", "json"});
  addOutputOption(*command, arguments->output);
  command->callback([arguments, &exitCode] { exitCode = runSimulate(*arguments); });
}

} // namespace qdadvise
