// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command `qdadvise`.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Output.h"

#include <exception>
#include <sstream>

int main(int argc, char **argv) {
  using namespace qdadvise;

  CLI::App app("Predicts which lock algorithm each lock of a program should use.", "qdadvise");
  app.set_version_flag("--version", "qdadvise " QDADVISE_VERSION);
  app.require_subcommand(1);
  int exitCode = exitSuccess;
  addAdvise(app, exitCode);
  addApply(app, exitCode);
  addCalibrate(app, exitCode);
  addCompletion(app, exitCode);
  addConfig(app, exitCode);
  addDiff(app, exitCode);
  addLsp(app, exitCode);
  addMachines(app, exitCode);
  addMerge(app, exitCode);
  addPredict(app, exitCode);
  addRecord(app, exitCode);
  addReport(app, exitCode);
  addSimulate(app, exitCode);
  addShow(app, exitCode);
  addVerify(app, exitCode);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) { // --help, --version
      std::ostringstream text;
      const int code = app.exit(error, text, text);
      writeOutput("", helpWithin(outputStyle("").width, text.str()));
      return code;
    }
    std::string command = "qdadvise", message = error.what();
    for (const CLI::App *subcommand : app.get_subcommands())
      command += " " + subcommand->get_name();
    // Where it recognises no command, the parser asks for one and does not name what was given.
    if (app.get_subcommands().empty() && !app.remaining().empty()) {
      const std::string first = app.remaining().front();
      message =
          "no " + std::string(first.front() == '-' ? "option" : "command") + " '" + first + "'";
    }
    return fail(message + "; see `" + command + " --help`");
  } catch (const std::exception &error) { // for example std::bad_alloc, or a file system error
    fail(error.what());
    return exitFailure;
  }
  return exitCode;
}
