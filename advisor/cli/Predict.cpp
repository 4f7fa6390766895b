// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise predict: what every lock would cost with every algorithm, at any number of
// threads.

#include "advisor/advice/UserConfig.h"
#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"
#include "advisor/cli/PredictOutput.h"
#include "advisor/network/Construction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>

namespace qdadvise {
namespace {

struct PredictArguments {
  std::vector<std::string> profiles, scale;
  std::string network, machine, threads, kinds = "all", model = "auto", format, output;
  int cores = 0;
};

/// The network to predict, from a file or from profiles.
Expected<Construction> networkFor(const PredictArguments &arguments, const Machine &machine) {
  if (!arguments.network.empty() && !arguments.profiles.empty())
    return makeError("give profiles or --network, not both");
  if (!arguments.network.empty()) {
    if (!arguments.scale.empty())
      return makeError("--scale is for profiles; a network says itself which classes scale");
    auto network = readNetwork(arguments.network);
    if (!network)
      return tl::unexpected(network.error());
    return Construction{std::move(*network), {}};
  }
  if (arguments.profiles.empty())
    return makeError("give a profile, or a network with --network FILE");
  const auto profile = loadProfiles(arguments.profiles);
  if (!profile)
    return tl::unexpected(profile.error());
  return constructNetwork(*profile, machine, {.scale = arguments.scale});
}

/// --threads, else the configuration's, else as many as there are cores.
Expected<std::vector<int>> threadsFor(const PredictArguments &arguments, const UserConfig &config,
                                      int cores) {
  if (!arguments.threads.empty())
    return parseThreads(arguments.threads);
  return std::vector<int>{config.threads > 0 ? config.threads : cores};
}

int runPredict(const PredictArguments &arguments) {
  UserConfigResult config;
  if (const std::string path = findUserConfig(""); !path.empty())
    config = readUserConfig(path);
  if (!config.error.empty())
    return fail(config.error);
  const auto machine = loadMachine(arguments.machine);
  if (!machine)
    return fail(machine.error());
  const auto kinds = parseKinds(arguments.kinds);
  if (!kinds)
    return fail(kinds.error());
  auto construction = networkFor(arguments, machine->machine);
  if (!construction)
    return fail(construction.error());
  const Network &network = construction->network;

  PredictOutput output;
  PredictOptions options;
  options.model = arguments.model;
  options.cores = arguments.cores > 0 ? arguments.cores : config.config.cores;
  output.cores = options.cores > 0 ? options.cores : machine->machine.cores;
  const auto threads = threadsFor(arguments, config.config, output.cores);
  if (!threads)
    return fail(threads.error());

  output.source = arguments.network.empty() ? fmt::format("{}", fmt::join(arguments.profiles, ", "))
                                            : arguments.network;
  output.machine = machine->origin;
  output.notes = construction->notes;
  for (const Lock &lock : network.locks)
    output.lockNames.push_back(lock.name);
  for (const std::string &kind : *kinds) {
    auto sweep = predictSweep(network, kind, machine->machine, *threads, options);
    if (!sweep)
      return fail(sweep.error());
    output.kinds.push_back(kind);
    output.predictions.push_back(std::move(*sweep));
  }
  if (arguments.format == "json") {
    for (const std::string &line : output.notes)
      note(line);
    return writeOutput(arguments.output, predictJson(output));
  }
  return writeOutput(arguments.output, predictText(output, outputStyle(arguments.output)));
}

} // namespace

void addPredict(CLI::App &app, int &exitCode) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App *command = app.add_subcommand(
      "predict", "Waiting time and throughput per lock, algorithm and number of threads");
  addProfilesArgument(*command, arguments->profiles, false);
  command->add_option("--network", arguments->network, "A network instead of profiles")
      ->type_name("FILE");
  addMachineOption(*command, arguments->machine);
  addThreadsOption(*command, arguments->threads);
  addCoresOption(*command, arguments->cores);
  addKindOption(*command, arguments->kinds);
  addModelOption(*command, arguments->model);
  addScaleOption(*command, arguments->scale);
  addFormatOption(*command, arguments->format, {"text", "json"});
  addOutputOption(*command, arguments->output);
  command->callback([arguments, &exitCode] { exitCode = runPredict(*arguments); });
}

} // namespace qdadvise
