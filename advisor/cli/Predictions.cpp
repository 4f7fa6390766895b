// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "advisor/cli/Predictions.h"

#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/report/Reporter.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace qdadvise {
namespace {

/// Why today's algorithms cannot be predicted, if they cannot.
std::optional<Error> unknownToday(const Network &network) {
  for (const Lock &lock : network.locks)
    if (!lock.kind.isKnown())
      return Error{fmt::format("lock '{}' has {}, of which there is no model", lock.name,
                               lock.kind.name().empty()
                                   ? "an algorithm that is not given"
                                   : fmt::format("the algorithm '{}'", lock.kind.name()))};
  return std::nullopt;
}

/// What --kind names. `all` has today's algorithms, too, where locks have several.
Expected<std::vector<KindChoice>> kindsFor(const std::string &names, NetworkInput &input) {
  std::vector<KindChoice> kinds = TRY(parseKinds(names, KindNames::predicted));
  const KindChoice today;
  const auto missing = unknownToday(input.network);
  if (missing && std::find(kinds.begin(), kinds.end(), today) != kinds.end())
    return makeError("--kind recorded: " + missing->message + "; name an algorithm for all locks");
  const std::vector<LockKind> recorded = today.at(input.network);
  if (names != "all" ||
      std::adjacent_find(recorded.begin(), recorded.end(), std::not_equal_to<>()) == recorded.end())
    return kinds;
  if (missing)
    input.notes.push_back(std::string(today.label()) + " is left out: " + missing->message);
  else
    kinds.insert(kinds.begin(), today);
  return kinds;
}

} // namespace

void addPredictionInput(CLI::App &command, PredictionArguments &arguments) {
  addNetworkInput(command, arguments.input);
  addMachineOption(command, arguments.machine);
  addPlacementOption(command, arguments.placement);
  addThreadsOption(command, arguments.threads);
  addCoresOption(command, arguments.cores);
  addKindOption(command, arguments.kinds);
}

void addPredictionOutput(CLI::App &command, PredictionArguments &arguments) {
  command.add_flag("--all", arguments.all,
                   "Tables of every lock and thread class, for every number of threads (default: a "
                   "screen of what matters)");
  addFormatOption(command, arguments.format, predictionReport);
  addOutputOption(command, arguments.output);
}

Expected<PredictionInput> loadPredictionInput(const PredictionArguments &arguments,
                                              bool withoutLocks) {
  const UserConfig config = TRY(loadUserConfig());
  PredictionInput input;
  input.machine = TRY(loadMachine(arguments.machine, arguments.placement));
  input.network = TRY(loadNetworkInput(arguments.input, input.machine.machine, withoutLocks));
  input.kinds = TRY(kindsFor(arguments.kinds, input.network));
  input.cores = arguments.cores > 0 ? arguments.cores : config.cores;
  if (!arguments.threads.empty())
    input.threads = TRY(parseThreads(arguments.threads));
  else if (config.threads > 0)
    input.threads = {config.threads};
  else
    input.threads = {input.cores > 0 ? input.cores : input.machine.machine.cores};
  return input;
}

PredictionReport startReport(const PredictionInput &input) {
  PredictionReport report;
  report.source = input.network.source;
  report.machine = input.machine.origin;
  report.cores = input.cores > 0 ? input.cores : input.machine.machine.cores;
  report.notes = input.network.notes;
  for (const Lock &lock : input.network.network.locks)
    report.lockNames.push_back(lock.name);
  for (const ThreadClass &one : input.network.network.classes)
    report.classNames.push_back(one.name);
  return report;
}

int writePrediction(PredictionReport report, const PredictionArguments &arguments) {
  report.all = arguments.all;
  const ReportFormat &format = formatNamed(arguments.format);
  const auto reporter = format.make(outputStyle(arguments.output));
  const int code = writeOutput(arguments.output, reporter->writePrediction(report));
  if (code == exitSuccess && !format.hasNotes)
    for (const std::string &line : report.notes)
      note(line);
  return code;
}

} // namespace qdadvise
