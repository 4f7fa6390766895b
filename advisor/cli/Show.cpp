// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise show: a profile as network.toml, or as a page in a browser.

#include "advisor/cli/Advise.h"
#include "advisor/cli/Commands.h"
#include "advisor/cli/Inputs.h"
#include "advisor/cli/NetworkInput.h"
#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/process/Browser.h"
#include "advisor/network/NetworkWriter.h"

#include <memory>

namespace qdadvise {
namespace {

struct ShowOptions {
  std::vector<std::string> profiles, scale;
  std::string machine, output;
  bool open = false;
};

/// The page of `advise`, in a file that the browser can still read when this command has ended.
Expected<int> runOpen(const ShowOptions &options) {
  const ReportFormat &format = formatNamed("html");
  const AdviceReport report =
      TRY(adviceFor({options.profiles, options.scale, ""}, options.machine, "", format));
  const std::string path = options.output.empty() ? report.program + ".html" : options.output;
  if (const int code = writeOutput(path, format.make({})->writeAdvice(report)); code != exitSuccess)
    return code;
  note("wrote " + path);
  if (path != "-")
    TRY(openInBrowser(path));
  return exitSuccess;
}

Expected<int> runShow(const ShowOptions &options) {
  if (options.open)
    return runOpen(options);
  const LoadedMachine machine = TRY(loadMachine(options.machine));
  const NetworkInput input =
      TRY(loadNetworkInput({options.profiles, options.scale, ""}, machine.machine));
  const int code = writeOutput(options.output, printNetwork(input.network));
  if (code == exitSuccess) {
    note("machine: " + machine.origin);
    for (const std::string &line : input.notes)
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
  command->add_flag("--open", options->open,
                    "Show the advice in a browser instead; its page is written to PROGRAM.html, "
                    "or where -o says");
  addOutputOption(*command, options->output);
  command->callback([options, &exitCode] { exitCode = exitCodeOf(runShow(*options)); });
}

} // namespace qdadvise
