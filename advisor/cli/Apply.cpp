// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise apply: starts the program beside the plugin that rewrites locks. It is made with Clang,
// which this command does without.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/process/Process.h"
#include "advisor/support/Installation.h"

#include <string>
#include <vector>

namespace qdadvise {
namespace {

Expected<int> runApply(const std::vector<std::string> &arguments) {
  const auto installed = installedPlugins();
  if (installed.empty())
    return makeError("no plugin is installed in " + pluginFolder().string() +
                     ", nor what rewrites locks; install QDAdvise for LLVM 22 or 19");
  std::vector<std::string> command{(installed.rbegin()->second / "qdadvise-apply").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Ending ending = TRY(runProgram(command, {}));
  return ending.status;
}

} // namespace

void addApply(CLI::App &app, int &exitCode) {
  CLI::App *command =
      app.add_subcommand("apply", "Change locks to what was advised, with all their operations");
  // It has its own options, and its own help.
  command->prefix_command();
  command->set_help_flag();
  command->callback(
      [command, &exitCode] { exitCode = exitCodeOf(runApply(command->remaining())); });
}

} // namespace qdadvise
