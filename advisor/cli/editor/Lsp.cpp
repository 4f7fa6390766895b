// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise lsp: starts the language server, a program beside the plugin. It is made with Clang,
// which this command does without.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/process/Process.h"
#include "advisor/support/Installation.h"

#include <filesystem>
#include <string>
#include <vector>

namespace qdadvise {
namespace {

Expected<int> runServer(const std::vector<std::string> &arguments) {
  std::string server;
  for (const auto &[version, folder] : installedPlugins()) {
    std::error_code error;
    if (std::filesystem::exists(folder / "qdadvise-lsp", error))
      server = (folder / "qdadvise-lsp").string();
  }
  if (server.empty())
    return makeError("no language server is installed in " + pluginFolder().string() +
                     ": it needs LLVM 22, whose libraries have the protocol; install QDAdvise for "
                     "LLVM 22");
  std::vector<std::string> command{server};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Ending ending = TRY(runProgram(command, {}));
  return ending.status;
}

} // namespace

void addLsp(CLI::App &app, int &exitCode) {
  CLI::App *command =
      app.add_subcommand("lsp", "A language server: the advice in an editor, beside clangd");
  // It has its own options, and its own help.
  command->prefix_command();
  command->set_help_flag();
  command->callback(
      [command, &exitCode] { exitCode = exitCodeOf(runServer(command->remaining())); });
}

} // namespace qdadvise
