// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise predict: what every lock would cost with every algorithm, at any number of
// threads.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"
#include "advisor/cli/NetworkInput.h"
#include "advisor/cli/PredictOutput.h"
#include "advisor/cli/ProgressBar.h"
#include "advisor/model/locks/Station.h"
#include "advisor/model/uncertainty/SamplingError.h"

#include <memory>

namespace qdadvise {
namespace {

struct PredictArguments {
  NetworkArguments input;
  std::string machine, threads, kinds = "all", model = "auto", format, output;
  int cores = 0;
};

/// By number of threads and by lock, where its sections were traced.
auto optimismOf(const NetworkInput &input, const Assignment &kinds, const Machine &machine,
                const std::vector<Prediction> &sweep, const PredictOptions &options) {
  std::vector<std::vector<std::optional<PredictedOptimism>>> result(sweep.size());
  for (std::size_t lock = 0; lock < input.network.locks.size(); ++lock) {
    const std::vector<SectionConflicts> conflicts = conflictsAt(input.network, lock, input.memory);
    for (std::size_t at = 0; at < sweep.size(); ++at) {
      result[at].emplace_back();
      if (!conflicts.empty())
        result[at].back() =
            predictedOptimism(input.network, lock, conflicts, kinds, machine, sweep[at], options);
    }
  }
  return result;
}

int runPredict(const PredictArguments &arguments) {
  const auto config = loadUserConfig();
  if (!config)
    return fail(config.error());
  const auto machine = loadMachine(arguments.machine);
  if (!machine)
    return fail(machine.error());
  const auto kinds = parseKinds(arguments.kinds);
  if (!kinds)
    return fail(kinds.error());
  const auto input = loadNetworkInput(arguments.input, machine->machine);
  if (!input)
    return fail(input.error());
  const Network &network = input->network;

  PredictOutput output;
  PredictOptions options;
  options.model = arguments.model;
  options.cores = arguments.cores > 0 ? arguments.cores : config->cores;
  output.cores = options.cores > 0 ? options.cores : machine->machine.cores;
  const auto threads = threadListFor(arguments.threads, *config, output.cores);
  if (!threads)
    return fail(threads.error());

  output.source = input->source;
  output.run = network.run;
  output.machine = machine->origin;
  output.notes = input->notes;
  for (const Lock &lock : network.locks)
    output.lockNames.push_back(lock.name);
  for (const ThreadClass &one : network.classes)
    output.classNames.push_back(one.name);
  ProgressBar bar(aWhile);
  const auto failed = [&](const Error &error) {
    bar.clear();
    return fail(error);
  };
  for (const std::string &kind : *kinds) {
    bar.show(static_cast<double>(&kind - kinds->data()) / static_cast<double>(kinds->size()), kind);
    if (const auto missing = missingFigure(kind, machine->machine);
        missing && arguments.kinds == "all") {
      output.notes.push_back(kind + " is left out: " + missing->message);
      continue;
    }
    auto sweep = predictSweep(network, kind, machine->machine, *threads, options);
    if (!sweep)
      return failed(sweep.error());
    const std::vector<std::string> everywhere(network.locks.size(), kind);
    auto intervals = confidenceIntervals(network, everywhere, machine->machine, *sweep, options);
    if (!intervals)
      return failed(intervals.error());
    if (network.run) {
      const auto recorded = recordedSpeedup(network, everywhere, machine->machine, options);
      if (!recorded)
        return failed(recorded.error());
      output.recordedSpeedups.push_back(*recorded);
    }
    output.kinds.push_back(kind);
    output.intervals.push_back(std::move(*intervals));
    output.optimism.push_back(optimismOf(*input, everywhere, machine->machine, *sweep, options));
    output.predictions.push_back(std::move(*sweep));
  }
  bar.clear();
  if (!network.run)
    output.notes.push_back("what the program does besides is not known: speed-ups are of its "
                           "critical sections and of what threads do between them");
  if (!isSampled(network))
    output.notes.push_back("the network says nothing of samples: intervals are of the models' own "
                           "errors alone");
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

void addPredict(CLI::App &app, int &exitCode) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App *command = app.add_subcommand(
      "predict", "Waiting time and throughput per lock, algorithm and number of threads");
  addNetworkInput(*command, arguments->input);
  addMachineOption(*command, arguments->machine);
  addThreadsOption(*command, arguments->threads);
  addCoresOption(*command, arguments->cores);
  addKindOption(*command, arguments->kinds);
  addModelOption(*command, arguments->model);
  addFormatOption(*command, arguments->format, {"text", "json"});
  addOutputOption(*command, arguments->output);
  command->callback([arguments, &exitCode] { exitCode = runPredict(*arguments); });
}

} // namespace qdadvise
