// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise calibrate: measure this machine, write its description.

#include "advisor/machine/Calibrate.h"
#include "advisor/cli/Commands.h"
#include "advisor/cli/Common.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace qdadvise {
namespace {

struct CalibrateCommand {
  std::string output;
  bool quick = false;
  int cores = 0;
};

/// One line that is overwritten; nothing where nobody would see it move.
class ProgressBar {
public:
  ProgressBar() : visible(::isatty(STDERR_FILENO) == 1) {}
  ~ProgressBar() { clear(); }

  void show(double done, const std::string &what) const {
    if (!visible)
      return;
    constexpr int width = 30;
    const auto filled = static_cast<std::size_t>(done * width);
    fmt::print(stderr, "\r\033[K[{}{}] {:3.0f}% {}", std::string(filled, '='),
               std::string(width - filled, ' '), done * 100, what);
    std::fflush(stderr);
  }
  void clear() const {
    if (visible)
      fmt::print(stderr, "\r\033[K");
  }

private:
  bool visible;
};

/// Why the file could not be written, found out before time is spent on measuring; or
/// nothing. Creates the folder that the default path is in.
std::string whyNotWritable(const std::string &path, bool createFolder) {
  struct stat status = {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode))
    return fmt::format("cannot write {}: it is a folder; give a file with -o", path);
  if (exists && !S_ISREG(status.st_mode))
    return ""; // a device or a pipe
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty())
    folder = ".";
  std::error_code error;
  if (createFolder)
    std::filesystem::create_directories(folder, error);
  if (error)
    return fmt::format("cannot create {}: {}; give another file with -o", folder.string(),
                       error.message());
  std::string probe = (folder / ".qdadvise.XXXXXX").string();
  const int file = ::mkstemp(probe.data());
  if (file < 0)
    return fmt::format("cannot write {}: {}; give another file with -o", path,
                       std::strerror(errno));
  ::close(file);
  ::unlink(probe.c_str());
  return "";
}

int runCalibrate(const CalibrateCommand &command) {
  const bool byDefault = command.output.empty();
  const std::string path = byDefault ? userMachinePath() : command.output;
  if (path.empty())
    return fail("no home folder to write the machine description to; give a file with -o");
  const bool toOutput = path == "-";
  if (!toOutput)
    if (const std::string problem = whyNotWritable(path, byDefault); !problem.empty())
      return fail(problem);

  const ProgressBar bar;
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
  if (!toOutput)
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
      ->type_name("FILE");
  command->add_flag("--quick", options->quick, "Take a tenth of the samples");
  command->add_option("--cores", options->cores, "Use at most so many cores (default: all allowed)")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  command->callback([options, &exitCode] { exitCode = runCalibrate(*options); });
}

} // namespace qdadvise
