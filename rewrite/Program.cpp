// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/Program.h"

#include "rewrite/UnitReader.h"
#include "rewrite/tooling/ReadOnce.h"
#include "rewrite/uses/PointerLocks.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

using namespace clang;

namespace qdadvise {
namespace {

/// Keeps what a unit's compilation says.
class Messages : public DiagnosticConsumer {
public:
  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &diagnostic) override {
    if (level < DiagnosticsEngine::Warning)
      return;
    llvm::SmallString<128> text;
    diagnostic.FormatDiagnostic(text);
    std::string place;
    if (diagnostic.hasSourceManager() && diagnostic.getLocation().isValid()) {
      const PresumedLoc at = diagnostic.getSourceManager().getPresumedLoc(
          diagnostic.getSourceManager().getExpansionLoc(diagnostic.getLocation()));
      if (at.isValid())
        place = std::string(at.getFilename()) + ":" + std::to_string(at.getLine()) + ": ";
    }
    if (level >= DiagnosticsEngine::Error)
      errors.push_back(place + text.str().str());
    else
      warnings.emplace_back(text.str().str(), place + text.str().str());
  }

  std::vector<std::string> errors;
  std::vector<std::pair<std::string, std::string>> warnings; ///< the text, and with its place
};

class ReadAction : public ASTFrontendAction {
public:
  ReadAction(const AdviceFile &adviceFile, const WantedUses &wantedUses, ProgramUses &lockProgram)
      : advice(adviceFile), wanted(wantedUses), program(lockProgram) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler,
                                                 llvm::StringRef) override {
    return unitReader(compiler, advice, wanted, program);
  }

private:
  const AdviceFile &advice;
  const WantedUses &wanted;
  ProgramUses &program;
};

class ReadFactory : public tooling::FrontendActionFactory {
public:
  ReadFactory(const AdviceFile &adviceFile, const WantedUses &wantedUses, ProgramUses &lockProgram)
      : advice(adviceFile), wanted(wantedUses), program(lockProgram) {}
  std::unique_ptr<FrontendAction> create() override {
    return std::make_unique<ReadAction>(advice, wanted, program);
  }

private:
  const AdviceFile &advice;
  const WantedUses &wanted;
  ProgramUses &program;
};

std::vector<std::string> withoutOutput(std::vector<std::string> arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    if (arguments[i] == "-o")
      arguments[i + 1].clear();
  return arguments;
}

void run(const tooling::CompilationDatabase &database, const std::string &unit,
         tooling::FrontendActionFactory &factory, Messages &messages,
         const std::map<std::string, std::string> &changed) {
  // A file that is in several targets is mostly compiled alike.
  std::vector<std::vector<std::string>> done;
  for (const tooling::CompileCommand &command : database.getCompileCommands(unit)) {
    std::vector<std::string> alike = withoutOutput(command.CommandLine);
    if (llvm::is_contained(done, alike))
      continue;
    done.push_back(std::move(alike));
    // Clang's tooling ends the process where it cannot go there.
    if (!llvm::sys::fs::is_directory(command.Directory))
      messages.errors.push_back(unit + ": there is no folder '" + command.Directory + "'");
    else if (!readOnce(command, unit, factory, messages, changed) && messages.errors.empty())
      messages.errors.push_back(unit + ": it cannot be compiled");
  }
}

} // namespace

Program::Program(std::unique_ptr<tooling::CompilationDatabase> commands)
    : database(std::move(commands)), files(database->getAllFiles()) {
  std::ranges::sort(files);
  files.erase(std::ranges::unique(files).begin(), files.end());
}
Program::Program(Program &&) noexcept = default;
Program::~Program() = default;

Expected<Program> Program::open(const std::string &folder) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, "compile_commands.json");
  std::string error;
  auto database = tooling::JSONCompilationDatabase::loadFromFile(
      path, error, tooling::JSONCommandLineSyntax::AutoDetect);
  if (!database)
    return makeError("cannot read " + path.str().str() + ": " +
                     llvm::StringRef(error).trim().str() +
                     "; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, bear for Make");
  Program program(std::move(database));
  if (program.files.empty())
    return makeError(path.str().str() + " names no file");
  return program;
}

ProgramUses Program::collect(const AdviceFile &advice, const WantedUses &wanted) const {
  ProgramUses program;
  for (const std::string &unit : files) {
    Messages messages;
    ReadFactory factory(advice, wanted, program);
    run(*database, unit, factory, messages, {});
    if (!messages.errors.empty())
      program.broken.push_back(messages.errors.front());
    for (const auto &[text, placed] : messages.warnings)
      ++program.warnings[unit][text];
  }
  addPointerLocks(program);
  return program;
}

std::vector<std::string> Program::problemsWith(const std::map<std::string, std::string> &changed,
                                               const std::set<std::string> &units,
                                               const ProgramUses &before) const {
  std::vector<std::string> problems;
  for (const std::string &unit : files) {
    llvm::SmallString<256> real;
    const std::string path = llvm::sys::fs::real_path(unit, real) ? unit : real.str().str();
    if (!units.contains(path) && !units.contains(unit))
      continue;
    Messages messages;
    const auto factory = tooling::newFrontendActionFactory<SyntaxOnlyAction>();
    run(*database, unit, *factory, messages, changed);
    problems.insert(problems.end(), messages.errors.begin(), messages.errors.end());
    const auto known = before.warnings.find(unit);
    std::map<std::string, int> left =
        known == before.warnings.end() ? std::map<std::string, int>() : known->second;
    for (const auto &[text, placed] : messages.warnings)
      if (left[text]-- <= 0)
        problems.push_back(placed);
    if (!problems.empty())
      break; // one is enough
  }
  return problems;
}

std::set<std::string> Program::targetsOf(const std::set<std::string> &units) const {
  std::set<std::string> targets;
  for (const std::string &unit : units)
    for (const tooling::CompileCommand &command : database->getCompileCommands(unit)) {
      std::string output = command.Output;
      for (std::size_t i = 0; i + 1 < command.CommandLine.size() && output.empty(); ++i)
        if (command.CommandLine[i] == "-o")
          output = command.CommandLine[i + 1];
      const llvm::StringRef after = llvm::StringRef(output).split("CMakeFiles/").second;
      const auto [target, rest] = after.split(".dir/");
      if (!rest.empty())
        targets.insert(target.str());
    }
  return targets;
}

} // namespace qdadvise
