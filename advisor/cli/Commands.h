// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands. Each adds itself to the application, in the file of its name,
// and stores its exit code: 0 success, 1 failure, 2 bad usage or input.
#pragma once

#include <CLI/CLI.hpp>

namespace qdadvise {

void addAdvise(CLI::App &app, int &exitCode);
void addApply(CLI::App &app, int &exitCode);
void addCalibrate(CLI::App &app, int &exitCode);
void addCompletion(CLI::App &app, int &exitCode);
void addConfig(CLI::App &app, int &exitCode);
void addDiff(CLI::App &app, int &exitCode);
void addLsp(CLI::App &app, int &exitCode);
void addMachines(CLI::App &app, int &exitCode);
void addMerge(CLI::App &app, int &exitCode);
void addPredict(CLI::App &app, int &exitCode);
void addRecord(CLI::App &app, int &exitCode);
void addReport(CLI::App &app, int &exitCode);
void addSimulate(CLI::App &app, int &exitCode);
void addShow(CLI::App &app, int &exitCode);
void addVerify(CLI::App &app, int &exitCode);

} // namespace qdadvise
