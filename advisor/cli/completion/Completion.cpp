// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise completion: a script that completes commands and options in a shell.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/completion/CompletionScripts.h"

#include <memory>

namespace qdadvise {

void addCompletion(CLI::App &app, int &exitCode) {
  const auto shell = std::make_shared<std::string>();
  CLI::App *command = app.add_subcommand(
      "completion", "Print a script that completes commands and options in a shell");
  std::vector<std::string> names;
  for (const ShellCompletion &one : shellCompletions())
    names.emplace_back(one.shell);
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember(names))
      ->type_name("");
  command->callback([shell, &app, &exitCode] {
    for (const ShellCompletion &one : shellCompletions())
      if (*shell == one.shell)
        exitCode = writeOutput("", one.script(app));
  });
}

} // namespace qdadvise
