// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `predict` and `simulate` have in common: what they load, and how they report.
#pragma once

#include "advisor/cli/Inputs.h"
#include "advisor/cli/Kinds.h"
#include "advisor/cli/NetworkInput.h"
#include "advisor/report/PredictionReport.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace qdadvise {

struct PredictionArguments {
  NetworkArguments input;
  std::string machine, placement, threads, kinds = "all", format, output;
  int cores = 0;
  bool all = false;
};

/// PROFILE…, --network, --scale, --machine, --placement, --threads, --cores and --kind.
void addPredictionInput(CLI::App &command, PredictionArguments &arguments);
/// --all, --format and --output.
void addPredictionOutput(CLI::App &command, PredictionArguments &arguments);

struct PredictionInput {
  LoadedMachine machine;
  std::vector<KindChoice> kinds;
  NetworkInput network;
  std::vector<int> threads;
  int cores = 0; ///< 0: as many as the machine has
};
/// `withoutLocks`: as in ConstructionOptions.
Expected<PredictionInput> loadPredictionInput(const PredictionArguments &arguments,
                                              bool withoutLocks = false);

/// A report without predictions: it names what is predicted, and for which machine.
PredictionReport startReport(const PredictionInput &input);
/// Returns an exit code.
int writePrediction(PredictionReport report, const PredictionArguments &arguments);

} // namespace qdadvise
