// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise calibrate: measure this machine, write its description.

#include "advisor/machine/calibration/Calibrate.h"
#include "advisor/cli/Commands.h"
#include "advisor/cli/Options.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/ProgressBar.h"
#include "advisor/machine/MachineToml.h"
#include "advisor/sim/DerivedCosts.h"

#include <memory>

namespace qdadvise {
namespace {

struct CalibrateCommand {
  std::string output, complete;
  bool quick = false;
  int cores = 0;
};

/// Completes the description of a machine that is not at hand.
Expected<int> completeDescription(const CalibrateCommand &command) {
  const Machine machine = TRY(readMachine(command.complete));
  const std::string path = command.output.empty() ? "-" : command.output;
  TRY(checkWritable(path));
  ProgressBar bar;
  const Machine completed = TRY(sim::withSimulatedCosts(
      machine, [&](double done) { bar.show(done, "locks on the virtual multicore"); }));
  bar.clear();
  if (writeOutput(path, printMachine(completed)) != exitSuccess)
    return exitUsage;
  if (path != "-")
    note("machine description, completed by simulation, written to " + path);
  return exitSuccess;
}

Expected<int> runCalibrate(const CalibrateCommand &command) {
  if (!command.complete.empty())
    return completeDescription(command);
  const bool byDefault = command.output.empty();
  const std::string path = byDefault ? userMachinePath() : command.output;
  if (path.empty())
    return makeError("no home folder to write the machine description to; give a file with -o");
  TRY(checkWritable(path, byDefault));

  ProgressBar bar;
  CalibrateOptions options;
  options.quick = command.quick;
  options.cores = command.cores;
  options.progress = [&](double done, const std::string &what) { bar.show(done, what); };
  const Calibration calibration = calibrate(options);
  bar.clear();

  if (writeOutput(path, printMachine(calibration.machine)) != exitSuccess)
    return exitUsage;
  for (const std::string &missing : calibration.missing)
    note("not measured: " + missing);
  for (const std::string &noisy : calibration.noisy)
    note(noisy + " varies by more than half its value: repeat on an idle machine");
  if (path != "-")
    note("measured machine description written to " + path);
  return exitSuccess;
}

} // namespace

void addCalibrate(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<CalibrateCommand>();
  CLI::App *command =
      app.add_subcommand("calibrate", "Measure what lock algorithms cost on this machine");
  command
      ->add_option("-o,--output", options->output,
                   "Write here (default: machine.toml in your configuration folder)")
      ->check(notEmpty)
      ->type_name("FILE");
  CLI::Option *quick = command->add_flag(
      "--quick", options->quick, "Take a 25th of the samples: one round, under two seconds");
  CLI::Option *cores = command
                           ->add_option("--cores", options->cores,
                                        "Use at most so many cores (default: all allowed)")
                           ->check(CLI::Range(1, 65536))
                           ->type_name("N");
  command
      ->add_option("--complete", options->complete,
                   "Measure nothing: fill in what this machine description does not say of the "
                   "locks by simulation, and print it (or write it where -o says)")
      ->type_name("FILE")
      ->excludes(quick)
      ->excludes(cores);
  command->callback([options, &exitCode] { exitCode = exitCodeOf(runCalibrate(*options)); });
}

} // namespace qdadvise
