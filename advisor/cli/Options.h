// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that have the same name and help text in every command that has them.
#pragma once

#include "advisor/report/Reporter.h"
#include "advisor/support/Error.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace qdadvise {

/// A check of options whose default an empty value would silently stand for.
std::string notEmpty(const std::string &value);

void addMachineOption(CLI::App &command, std::string &path);
void addPlacementOption(CLI::App &command, std::string &placement);
void addThreadsOption(CLI::App &command, std::string &threads);
void addCoresOption(CLI::App &command, int &cores); ///< 0: not given
void addKindOption(CLI::App &command, std::string &kinds);
void addModelOption(CLI::App &command, std::string &model);
void addOutputOption(CLI::App &command, std::string &path);
void addScaleOption(CLI::App &command, std::vector<std::string> &classes);
/// `--format`, with the formats that a report has; the first is the default.
void addFormatOption(CLI::App &command, std::string &format, ReportKind report);
void addProfilesArgument(CLI::App &command, std::vector<std::string> &paths, bool required = true);

/// `8`, `1,2,4`, `1..64` or a mixture, given with `option`: ascending, each number once.
Expected<std::vector<int>> parseNumbers(const std::string &option, const std::string &text,
                                        int least = 1);
inline Expected<std::vector<int>> parseThreads(const std::string &text) {
  return parseNumbers("--threads", text);
}

} // namespace qdadvise
