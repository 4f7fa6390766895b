// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/CompileCommands.h"

#include "clang/Tooling/JSONCompilationDatabase.h"

#include <filesystem>

namespace qdadvise {
namespace {

namespace fs = std::filesystem;
namespace tooling = clang::tooling;

constexpr const char *databaseName = "compile_commands.json";

/// The folder with the compile_commands.json that is nearest above a file, or "".
std::string buildFolderOf(const std::string &file) {
  std::error_code error;
  for (fs::path folder = fs::path(file).parent_path();; folder = folder.parent_path()) {
    for (const fs::path &candidate : {folder, folder / "build"})
      if (fs::exists(candidate / databaseName, error))
        return candidate.string();
    if (folder == folder.parent_path())
      return "";
  }
}

} // namespace

std::string CompileCommands::folderOf(const std::string &file) const {
  return given.empty() ? buildFolderOf(file) : given;
}

Expected<tooling::CompileCommand> CompileCommands::commandFor(const std::string &file) {
  const std::string folder = folderOf(file);
  if (folder.empty())
    return makeError("no compile_commands.json above " + file +
                     "; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, bear for Make; "
                     "start `qdadvise lsp` with --build FOLDER if it is elsewhere");
  const std::string path = (fs::path(folder) / databaseName).string();
  auto known = databases.find(path);
  if (known == databases.end()) {
    std::string error;
    auto database = tooling::JSONCompilationDatabase::loadFromFile(
        path, error, tooling::JSONCommandLineSyntax::AutoDetect);
    if (!database)
      return makeError("cannot read " + path + ": " + llvm::StringRef(error).trim().str());
    WatchedFiles watched;
    watched.watch({path});
    known = databases
                .emplace(path, Database{tooling::inferMissingCompileCommands(std::move(database)),
                                        std::move(watched)})
                .first;
  }
  const auto commands = known->second.commands->getCompileCommands(file);
  if (commands.empty())
    return makeError(path + " does not say how " + file + " is compiled");
  tooling::CompileCommand command = commands.front();
  if (!fs::path(command.Filename).is_absolute())
    command.Filename = (fs::path(command.Directory) / command.Filename).lexically_normal().string();
  return command;
}

bool CompileCommands::forgetChanged() {
  bool changed = false;
  for (auto it = databases.begin(); it != databases.end();) {
    const bool isOther = it->second.file.haveChanged();
    changed |= isOther;
    it = isOther ? databases.erase(it) : std::next(it);
  }
  return changed;
}

} // namespace qdadvise
