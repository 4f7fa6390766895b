// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `qdadvise`.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"

#include <exception>

int main(int argc, char **argv) {
  using namespace qdadvise;

  CLI::App app("Predicts which lock algorithm each lock of a program should use.", "qdadvise");
  app.set_version_flag("--version", "qdadvise " QDADVISE_VERSION);
  app.require_subcommand(1);
  int exitCode = exitSuccess;
  addAdvise(app, exitCode);
  addCalibrate(app, exitCode);
  addConfig(app, exitCode);
  addPredict(app, exitCode);
  addRecord(app, exitCode);
  addReport(app, exitCode);
  addShow(app, exitCode);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help, --version
      return app.exit(error);
    std::string command = "qdadvise";
    for (const CLI::App *subcommand : app.get_subcommands())
      command += " " + subcommand->get_name();
    return fail(std::string(error.what()) + "; see `" + command + " --help`");
  } catch (const std::exception &error) { // out of memory, a file system that fails
    fail(error.what());
    return exitFailure;
  }
  return exitCode;
}
