// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise config: which configuration file a clang needs. The plugin of one LLVM
// version crashes the clang of another, so that clang is asked for its version.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/Process.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <regex>
#include <unistd.h>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

struct ConfigOptions {
  std::string purpose;
  std::string clang;
  std::string hooks = "xray";
  bool isStatic = false;
};

/// `ccache clang++-22` is a command with an argument, `/opt/my clang/clang++` is a path.
std::vector<std::string> splitCommand(const std::string &command) {
  std::error_code ignored;
  if (fs::exists(command, ignored))
    return {command};
  return CLI::detail::split_up(command);
}

Expected<int> clangVersion(const std::string &command) {
  std::vector<std::string> arguments = splitCommand(command);
  if (arguments.empty())
    return makeError("--clang: name a command, such as clang++-22");
  arguments.emplace_back("--version");
  const Expected<std::string> answer = captureOutput(arguments);
  if (!answer)
    return makeError(answer.error().message + "; --clang CMD names another clang");
  static const std::regex version("clang version ([0-9]{1,4})\\.");
  std::smatch match;
  if (!std::regex_search(*answer, match, version) || answer->rfind("Apple", 0) == 0)
    return makeError(fmt::format("{} --version does not answer as LLVM's clang does: '{}'; --clang "
                                 "CMD names another",
                                 command, answer->substr(0, answer->find('\n'))));
  return std::stoi(match[1]);
}

/// The version of the clang that was named, else of the one that `clang++` runs.
Expected<int> versionOf(const ConfigOptions &options) {
  if (!options.clang.empty())
    return clangVersion(options.clang);
  const Expected<int> version = clangVersion("clang++");
  return version ? version : clangVersion("clang");
}

/// `lib/qdadvise` beside the `bin` of this executable. It is found relative to that, so that an
/// installation can be moved.
fs::path pluginFolder() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return executable.parent_path().parent_path() / "lib" / "qdadvise";
}

/// Installed LLVM versions and their folders.
std::map<int, fs::path> installedVersions(const fs::path &folder) {
  std::map<int, fs::path> versions;
  static const std::regex name("llvm-([0-9]{1,4})");
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
    const std::string filename = entry.path().filename().string();
    std::smatch match;
    if (std::regex_match(filename, match, name) && fs::exists(entry.path() / "qdadvise.so", error))
      versions.emplace(std::stoi(match[1]), entry.path());
  }
  return versions;
}

std::string fileName(const ConfigOptions &options) {
  const bool records = options.purpose != "advise";
  std::string name = options.purpose;
  if (records && options.hooks == "call")
    name += "-call";
  if (records && options.isStatic)
    name += "-static";
  return name + ".cfg";
}

Expected<int> runConfig(const ConfigOptions &options) {
  const int version = TRY(versionOf(options));
  const fs::path folder = pluginFolder();
  const std::map<int, fs::path> installed = installedVersions(folder);
  const auto found = installed.find(version);
  if (found == installed.end()) {
    std::vector<int> versions;
    versions.reserve(installed.size());
    for (const auto &[number, path] : installed)
      versions.push_back(number);
    if (versions.empty())
      return makeError(fmt::format("no plugin is installed in {}; install QDAdvise for LLVM {}",
                                   folder.string(), version));
    return makeError(
        fmt::format("{} is of LLVM {}, for which no plugin is installed; there is one for "
                    "LLVM {}: try --clang clang++-{}",
                    options.clang.empty() ? "clang" : options.clang, version,
                    fmt::join(versions, ", "), versions.back()));
  }
  const fs::path file = found->second / fileName(options);
  std::error_code error;
  if (!fs::exists(file, error))
    return makeError(
        fmt::format("{} is missing; install QDAdvise for LLVM {} again", file.string(), version));
  return writeOutput("", file.string() + "\n");
}

} // namespace

void addConfig(CLI::App &app, int &exitCode) {
  const auto options = std::make_shared<ConfigOptions>();
  CLI::App *command = app.add_subcommand(
      "config", "Print the path of the clang configuration file for recording or for advice");
  command
      ->add_option("PURPOSE", options->purpose,
                   "profile: build to be recorded; memory: the same with the memory accesses of "
                   "critical sections; advise: show advice while compiling")
      ->required()
      ->check(CLI::IsMember({"profile", "memory", "advise"}))
      ->type_name("");
  command->add_option("--clang", options->clang, "The clang to configure (default: clang++)")
      ->type_name("CMD");
  command
      ->add_option("--hooks", options->hooks,
                   "How recording is switched on: xray (default), or call where XRay cannot work "
                   "(sanitizers)")
      ->check(CLI::IsMember({"xray", "call"}))
      ->type_name("NAME");
  command->add_flag("--static", options->isStatic, "Link the recording runtime statically");
  command->callback([options, &exitCode] { exitCode = exitCodeOf(runConfig(*options)); });
}

} // namespace qdadvise
