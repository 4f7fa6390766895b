// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise predict: what every lock would cost with every algorithm, at any number of
// threads.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/Predictions.h"
#include "advisor/cli/ProgressBar.h"
#include "advisor/model/locks/Station.h"
#include "advisor/model/uncertainty/SamplingError.h"
#include "advisor/model/uncertainty/WholeRun.h"
#include "advisor/report/Reporter.h"

#include <fmt/format.h>
#include <memory>

namespace qdadvise {
namespace {

struct PredictArguments : PredictionArguments {
  std::string model = "auto";
};

/// The first figure that the machine lacks of an algorithm at one of the locks.
std::optional<Error> missingFigure(const KindChoice &kind, const PredictionInput &input) {
  for (const LockKind one : kind.at(input.network.network))
    if (auto missing = missingFigure(one, input.machine.machine))
      return missing;
  return std::nullopt;
}

/// An algorithm that the machine lacks a figure of is left out, unless it was asked for.
Expected<std::vector<KindPredictions>> predictLocks(const PredictionInput &input,
                                                    const PredictOptions &options, bool leavesOut,
                                                    std::vector<std::string> &notes) {
  std::vector<KindPredictions> kinds;
  const Network &network = input.network.network;
  ProgressBar bar(aWhile);
  std::size_t done = 0;
  for (const KindChoice &kind : input.kinds) {
    bar.show(static_cast<double>(done++) / static_cast<double>(input.kinds.size()), kind.name());
    if (const auto missing = missingFigure(kind, input); missing && leavesOut)
      notes.push_back(std::string(kind.name()) + " is left out: " + missing->message);
    else
      kinds.push_back(TRY(predictKind(network, input.network.memory, kind, input.machine.machine,
                                      input.threads, options)));
  }
  if (!network.run)
    notes.push_back("what the program does besides is not known: speed-ups are of its "
                    "critical sections and of what threads do between them");
  if (!isSampled(network))
    notes.push_back("the network says nothing of samples: intervals are of the models' own "
                    "errors alone");
  return kinds;
}

Expected<PredictionReport> compute(const PredictionInput &input, const PredictOptions &options,
                                   bool leavesOut) {
  const Network &network = input.network.network;
  const Machine &machine = input.machine.machine;
  PredictionReport report = startReport(input);
  report.run = network.run;
  if (network.locks.empty())
    report.kinds.push_back(predictWithoutLocks(*network.run, machine, input.threads, options));
  else
    report.kinds = TRY(predictLocks(input, options, leavesOut, report.notes));
  if (network.run)
    if (const std::string shared = sharingNote(*network.run, machine, input.threads.back());
        !shared.empty())
      report.notes.push_back(shared);
  return report;
}

Expected<int> runPredict(const PredictArguments &arguments) {
  const PredictionInput input = TRY(loadPredictionInput(arguments, true));
  if (input.network.network.locks.empty() && formatNamed(arguments.format).isOfLocks)
    return makeError(
        fmt::format("--format {} shows locks, and nothing takes one twice: use text or "
                    "json",
                    arguments.format));
  PredictOptions options;
  options.model = arguments.model;
  options.cores = input.cores;
  return writePrediction(TRY(compute(input, options, arguments.kinds == "all")), arguments);
}

} // namespace

void addPredict(CLI::App &app, int &exitCode) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App *command = app.add_subcommand(
      "predict", "Waiting time and throughput per lock, algorithm and number of threads");
  addPredictionInput(*command, *arguments);
  addModelOption(*command, arguments->model);
  addPredictionOutput(*command, *arguments);
  command->callback([arguments, &exitCode] { exitCode = exitCodeOf(runPredict(*arguments)); });
}

} // namespace qdadvise
