// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completion scripts for shells, from the commands and options that `--help` shows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace qdadvise {

struct ShellCompletion {
  const char *shell;
  std::string (*script)(const CLI::App &app);
};
/// The shells that there is a script for.
const std::vector<ShellCompletion> &shellCompletions();

} // namespace qdadvise
