// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advisor/cli/verify/PatchedBuilds.h"

#include "advisor/cli/process/MeasuredRun.h"
#include "advisor/support/Patch.h"
#include "advisor/support/Toml.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <thread>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

/// What the user may have set; the rest CMake finds out again.
constexpr std::array<std::string_view, 5> settableTypes{"BOOL", "STRING", "PATH", "FILEPATH",
                                                        "UNINITIALIZED"};

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    const std::size_t end = at + from.size();
    const bool isWhole = end == text.size() || text[end] == '/' || text[end] == ';';
    if (isWhole)
      text.replace(at, from.size(), to);
    at += isWhole ? to.size() : from.size();
  }
  return text;
}

/// Copies a source tree without what is built in it and what version control keeps.
Expected<void> copyTree(const fs::path &from, const fs::path &to) {
  std::error_code error;
  fs::create_directories(to, error);
  for (fs::recursive_directory_iterator entry(from, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path target = to / fs::relative(entry->path(), from, error);
    if (!entry->is_directory(error) || entry->is_symlink(error)) {
      if (entry->is_symlink(error) || entry->is_regular_file(error))
        fs::copy(entry->path(), target, fs::copy_options::copy_symlinks, error);
    } else if (entry->path().filename() == ".git" ||
               fs::exists(entry->path() / "CMakeCache.txt", error)) {
      entry.disable_recursion_pending();
    } else {
      fs::create_directory(target, error);
    }
  }
  if (error)
    return makeError("cannot copy " + from.string() + ": " + error.message());
  return {};
}

Expected<void> writeFile(const fs::path &path, const std::string &text) {
  std::error_code error;
  fs::permissions(path, fs::perms::owner_write, fs::perm_options::add, error);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file)
    return makeError("cannot write " + path.string());
  return {};
}

/// The line of a build's output that tells what went wrong.
std::string faultIn(const std::string &output) {
  std::istringstream lines(output);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("rror") != std::string::npos)
      return line;
    if (!line.empty())
      last = line;
  }
  return last;
}

Expected<void> runBuildStep(const std::vector<std::string> &command, const std::string &which) {
  RunRequest request;
  request.command = command;
  const MeasuredRun run = TRY(measureRun(request));
  if (run.interruption != 0)
    return makeError("the build was interrupted; nothing of it is left running");
  if (run.status != 0)
    return makeError("the program " + which + " the patch does not build: " + faultIn(run.output));
  return {};
}

/// The patched files, by their path in the source tree.
Expected<std::map<std::string, PatchedText>> textsAround(const std::string &patch,
                                                         const fs::path &source) {
  std::map<std::string, PatchedText> texts;
  for (const auto &[path, ofFile] : patchByFile(TRY(readTextFile(patch)))) {
    const fs::path inTree = fs::path(path).lexically_relative(source);
    if (inTree.empty() || inTree.begin()->string() == "..")
      return makeError(patch + " changes " + path + ", which is not in " + source.string());
    Expected<PatchedText> both = aroundPatch(ofFile, TRY(readTextFile(path)));
    if (!both)
      return makeError(path + ": " + both.error().message);
    texts[inTree.string()] = std::move(*both);
  }
  if (texts.empty())
    return makeError(patch + " changes no file; give a patch that `qdadvise apply` wrote");
  return texts;
}

} // namespace

Expected<BuildSettings> parseBuildSettings(const std::string &cache, const fs::path &build) {
  BuildSettings settings;
  settings.build = build;
  std::istringstream lines(cache);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('='), colon = line.rfind(':', equals);
    if (line.starts_with('#') || line.starts_with("//") || equals == std::string::npos ||
        colon == std::string::npos)
      continue;
    const std::string name = line.substr(0, colon), value = line.substr(equals + 1);
    const std::string type = line.substr(colon + 1, equals - colon - 1);
    if (name == "CMAKE_HOME_DIRECTORY")
      settings.source = value;
    else if (name == "CMAKE_GENERATOR")
      settings.generator = value;
    else if (std::find(settableTypes.begin(), settableTypes.end(), type) != settableTypes.end())
      settings.options.emplace_back(name + ":" + type, value);
  }
  if (settings.source.empty())
    return makeError(build.string() + " is no build folder of CMake: its CMakeCache.txt names no "
                                      "source folder");
  return settings;
}

std::vector<std::string> configureCommand(const BuildSettings &settings, const fs::path &source,
                                          const fs::path &build) {
  std::vector<std::string> command{"cmake", "-S", source.string(), "-B", build.string()};
  if (!settings.generator.empty())
    command.insert(command.end(), {"-G", settings.generator});
  for (const auto &[name, value] : settings.options) // the build folder may be in the source
    command.push_back("-D" + name + "=" +
                      replaced(replaced(value, settings.build.string(), build.string()),
                               settings.source.string(), source.string()));
  return command;
}

Expected<std::unique_ptr<PatchedBuilds>> PatchedBuilds::make(const std::string &build,
                                                             const std::string &patch) {
  std::error_code error;
  const fs::path folder = fs::canonical(build, error);
  if (error)
    return makeError("cannot read " + build + ": " + error.message());
  const std::string cache = TRY(readTextFile((folder / "CMakeCache.txt").string()));
  const BuildSettings settings = TRY(parseBuildSettings(cache, folder));
  const fs::path source = fs::canonical(settings.source, error);
  const std::map<std::string, PatchedText> texts = TRY(textsAround(patch, source));
  std::string pattern = (fs::temp_directory_path(error) / "qdadvise-verify-XXXXXX").string();
  if (error || !::mkdtemp(pattern.data()))
    return makeError("cannot make a temporary folder: " + std::string(std::strerror(errno)));
  std::unique_ptr<PatchedBuilds> builds(new PatchedBuilds(pattern));
  const std::string jobs = std::to_string(std::max(1U, std::thread::hardware_concurrency()));
  for (const bool isAfter : {false, true}) {
    const std::string which = isAfter ? "after" : "before";
    const fs::path copy = builds->folder / which;
    TRY(copyTree(source, copy));
    for (const auto &[path, both] : texts)
      TRY(writeFile(copy / path, isAfter ? both.after : both.before));
    const std::string copyBuild = isAfter ? builds->after() : builds->before();
    TRY(runBuildStep(configureCommand(settings, copy, copyBuild), which));
    TRY(runBuildStep({"cmake", "--build", copyBuild, "--parallel", jobs}, which));
  }
  return builds;
}

PatchedBuilds::~PatchedBuilds() {
  std::error_code error;
  fs::remove_all(folder, error);
}

} // namespace qdadvise
