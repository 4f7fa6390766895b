// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// qdadvise config: which configuration file a clang needs. The plugin of one LLVM
// version crashes the clang of another, so that clang is asked for its version.

#include "advisor/cli/Commands.h"
#include "advisor/cli/Inputs.h"
#include "advisor/cli/Output.h"
#include "advisor/cli/process/Process.h"
#include "advisor/support/Installation.h"

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
  std::string hooks = "patch";
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

/// The version of the clang that was named, else of the one that `clang++` runs; but where one
/// plugin alone is installed, that one is meant.
Expected<int> versionOf(const ConfigOptions &options, const std::map<int, fs::path> &installed) {
  if (!options.clang.empty())
    return clangVersion(options.clang);
  Expected<int> version = clangVersion("clang++");
  if (!version)
    version = clangVersion("clang");
  if (installed.size() != 1 || (version && *version == installed.begin()->first))
    return version;
  const int only = installed.begin()->first;
  note(fmt::format("this is for clang++-{} and clang-{}; {}", only, only,
                   version ? fmt::format("clang is of LLVM {}", *version)
                           : std::string("there is no other clang")));
  return only;
}

std::string fileName(const ConfigOptions &options) {
  const bool records = options.purpose != "advise";
  std::string name = options.purpose;
  if (records && options.hooks != ConfigOptions().hooks)
    name += "-" + options.hooks;
  if (records && options.isStatic)
    name += "-static";
  return name + ".cfg";
}

bool isCcache(const std::string &command) {
  const std::vector<std::string> words = splitCommand(command);
  return !words.empty() && fs::path(words.front()).filename() == "ccache";
}

/// ccache knows a compilation by its command and its preprocessed source, which do not have the
/// configuration, the advice, the plugin and comments (`// qdadvise: keep`).
Expected<int> runCcacheConfig(const std::map<int, fs::path> &installed) {
  const UserConfig config = TRY(loadUserConfig());
  std::vector<std::string> files{
      config.path.empty() ? (fs::current_path() / ".qdadvise.toml").string() : config.path};
  if (!config.advice.empty())
    files.push_back(config.advice);
  std::error_code error;
  for (const std::string &file : files)
    if (!fs::exists(file, error))
      note(fmt::format("{} does not exist: until it does, ccache calls the compiler each time",
                       file));
  for (const auto &[version, folder] : installed)
    files.push_back((folder / "qdadvise.so").string());
  return writeOutput(
      "", fmt::format("export CCACHE_EXTRAFILES='{}' CCACHE_COMMENTS=1\n", fmt::join(files, ":")));
}

Expected<int> runConfig(const ConfigOptions &options) {
  const fs::path folder = pluginFolder();
  const std::map<int, fs::path> installed = installedPlugins();
  if (options.purpose == "ccache")
    return runCcacheConfig(installed);
  const int version = TRY(versionOf(options, installed));
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
  if (isCcache(options.clang))
    note("ccache has to be told of the configuration: eval \"$(qdadvise config ccache)\"");
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
                   "critical sections; advise: show advice while compiling; ccache: what the "
                   "environment has to tell ccache")
      ->required()
      ->check(CLI::IsMember({"profile", "memory", "advise", "ccache"}))
      ->type_name("");
  command->add_option("--clang", options->clang, "The clang to configure (default: clang++)")
      ->type_name("CMD");
  command
      ->add_option("--hooks", options->hooks,
                   "How recording is switched on: patch (default) changes the program's code, call "
                   "tests a word, xray is for those who want XRay's tools, too")
      ->check(CLI::IsMember({"patch", "call", "xray"}))
      ->type_name("NAME");
  command->add_flag("--static", options->isStatic, "Link the recording runtime statically");
  command->callback([options, &exitCode] { exitCode = exitCodeOf(runConfig(*options)); });
}

} // namespace qdadvise
