// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/cmake/LockLinks.h"

#include "rewrite/cmake/CMakeText.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <vector>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view findLocks = "find_package(QDAdvise REQUIRED COMPONENTS locks)";
constexpr std::string_view locksTarget = "QDAdvise::locks";

std::optional<std::string> textOfFile(const fs::path &path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The source folder that a build folder was configured from; "" where there is none.
fs::path sourceOf(const std::string &build) {
  constexpr std::string_view home = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::istringstream cache(textOfFile(fs::path(build) / "CMakeCache.txt").value_or(""));
  for (std::string line; std::getline(cache, line);)
    if (line.starts_with(home))
      return line.substr(home.size());
  return {};
}

/// The CMake files of a project that are named in others, with their commands.
class Project {
public:
  struct File {
    std::string text, project; ///< what ${PROJECT_NAME} is
    std::vector<CMakeCommand> commands;
  };
  struct Place {
    fs::path file;
    const CMakeCommand *command = nullptr;
  };

  explicit Project(const fs::path &source) { read(source / "CMakeLists.txt", ""); }

  /// All commands of these names whose first argument is the target; `isUnknown`: others may be.
  std::vector<Place> commandsOf(const std::vector<std::string_view> &names,
                                const std::string &target, bool &isUnknown) const {
    std::vector<Place> found;
    for (const auto &[path, file] : files)
      for (const CMakeCommand &command : file.commands) {
        if (std::ranges::find(names, command.name) == names.end() || command.arguments.empty())
          continue;
        const std::string first = withProject(command.arguments.front(), file);
        if (first == target)
          found.push_back({path, &command});
        isUnknown |= first.find("${") != std::string::npos;
      }
    return found;
  }

  const File &fileAt(const fs::path &path) const { return files.at(path); }

  /// Is QDAdvise looked for in the file, or in one of a folder above?
  bool findsLocks(const fs::path &path) const {
    return std::ranges::any_of(files, [&](const auto &known) {
      const std::string folder = known.first.parent_path().string();
      return path.parent_path().string().starts_with(folder) &&
             std::ranges::any_of(known.second.commands, [](const CMakeCommand &command) {
               return command.name == "find_package" && !command.arguments.empty() &&
                      command.arguments.front() == "QDAdvise";
             });
    });
  }

private:
  static std::string withProject(std::string name, const File &file) {
    constexpr std::string_view variable = "${PROJECT_NAME}";
    if (const std::size_t at = name.find(variable);
        at != std::string::npos && !file.project.empty())
      name.replace(at, variable.size(), file.project);
    return name;
  }

  void read(const fs::path &path, const std::string &outerProject) {
    std::optional<std::string> text = textOfFile(path);
    if (!text || files.contains(path))
      return;
    File &file = files[path];
    file.text = std::move(*text);
    file.project = outerProject;
    file.commands = cmakeCommands(file.text);
    for (const CMakeCommand &command : file.commands) {
      const std::string first = command.arguments.empty() ? "" : command.arguments.front();
      if (command.name == "project")
        file.project = first;
      else if (command.name == "add_subdirectory")
        read((path.parent_path() / first / "CMakeLists.txt").lexically_normal(), file.project);
      else if (command.name == "include" && first.ends_with(".cmake"))
        read((path.parent_path() / first).lexically_normal(), file.project);
    }
  }

  std::map<fs::path, File> files;
};

bool contains(const std::vector<std::string> &arguments, std::string_view word) {
  return std::ranges::find(arguments, word) != arguments.end();
}

/// How libraries are linked to the target: ` PRIVATE`, or nothing where the project says none of
/// these words, for both do not go together. Nothing where that is not known.
std::optional<std::string> visibilityOf(const std::vector<Project::Place> &links, bool isUnknown) {
  if (links.empty())
    return isUnknown ? std::nullopt : std::optional<std::string>(" PRIVATE");
  const std::vector<std::string> &arguments = links.front().command->arguments;
  const bool isKeyword = contains(arguments, "PRIVATE") || contains(arguments, "PUBLIC") ||
                         contains(arguments, "INTERFACE");
  return isKeyword ? " PRIVATE" : "";
}

bool linksLocks(const std::vector<Project::Place> &links) {
  return std::ranges::any_of(links, [](const Project::Place &link) {
    return std::ranges::any_of(link.command->arguments, [](const std::string &argument) {
      return argument.find(locksTarget) != std::string::npos;
    });
  });
}

/// Lines that come behind a command.
struct Lines {
  std::string indent, text;
  bool endsFile = false; ///< which ends without an end of line
};
using LinesByOffset = std::map<std::size_t, Lines>;

void addLine(LinesByOffset &lines, const std::string &text, const CMakeCommand &command,
             const std::string &line) {
  const std::size_t begin = text.rfind('\n', command.begin) + 1;
  const std::string before = text.substr(begin, command.begin - begin);
  const std::size_t end = text.find('\n', command.end);
  Lines &after = lines[end == std::string::npos ? text.size() : end + 1];
  after.endsFile = end == std::string::npos;
  after.indent = before.find_first_not_of(" \t") == std::string::npos ? before : "";
  after.text += after.indent + line + "\n";
}

std::string withLines(std::string text, const LinesByOffset &lines) {
  for (auto one = lines.rbegin(); one != lines.rend(); ++one)
    text.insert(one->first, (one->second.endsFile ? "\n" : "") + one->second.text);
  return text;
}

} // namespace

LockLinks linkLocks(const std::string &build, const std::set<std::string> &targets) {
  LockLinks links;
  const fs::path source = sourceOf(build);
  if (source.empty())
    return links;
  const Project project(source);
  std::map<fs::path, LinesByOffset> lines;
  for (const std::string &target : targets) {
    bool isUnknown = false, isIgnored = false;
    const std::vector<Project::Place> known =
        project.commandsOf({"target_link_libraries"}, target, isUnknown);
    const std::vector<Project::Place> made =
        project.commandsOf({"add_executable", "add_library"}, target, isIgnored);
    const std::optional<std::string> visibility = visibilityOf(known, isUnknown);
    const bool isOne = made.size() == 1 && !contains(made.front().command->arguments, "ALIAS") &&
                       !contains(made.front().command->arguments, "IMPORTED");
    if (!linksLocks(known) && (!visibility || !isOne))
      continue;
    links.linked.insert(target);
    if (!linksLocks(known))
      addLine(
          lines[made.front().file], project.fileAt(made.front().file).text, *made.front().command,
          "target_link_libraries(" + target + *visibility + " " + std::string(locksTarget) + ")");
  }
  for (auto &[path, ofFile] : lines) {
    Lines &first = ofFile.begin()->second;
    if (!project.findsLocks(path))
      first.text.insert(0, first.indent + std::string(findLocks) + "\n");
    const std::string &text = project.fileAt(path).text;
    links.before[path.string()] = text;
    links.after[path.string()] = withLines(text, ofFile);
  }
  return links;
}

} // namespace qdadvise
