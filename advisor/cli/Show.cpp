// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise show: a profile as network.toml.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"
#include "advisor/cli/NetworkInput.h"

#include <memory>

namespace qdadvise {
namespace {

struct ShowOptions {
  std::vector<std::string> profiles, scale;
  std::string machine, output;
};

int runShow(const ShowOptions &options) {
  const Expected<LoadedMachine> machine = loadMachine(options.machine);
  if (!machine)
    return fail(machine.error());
  const Expected<NetworkInput> input =
      loadNetworkInput({options.profiles, options.scale, ""}, machine->machine);
  if (!input)
    return fail(input.error());
  const int code = writeOutput(options.output, printNetwork(input->network));
  if (code == exitSuccess) {
    note("machine: " + machine->origin);
    for (const std::string &line : input->notes)
      note(line);
  }
  return code;
}

} // namespace

void addShow(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App *command = app.add_subcommand("show", "Print a profile as the network it boils down to "
                                                 "(network.toml)");
  addProfilesArgument(*command, options->profiles);
  addMachineOption(*command, options->machine);
  addScaleOption(*command, options->scale);
  addOutputOption(*command, options->output);
  command->callback([options, &exitCode] { exitCode = runShow(*options); });
}

} // namespace qdadvise
