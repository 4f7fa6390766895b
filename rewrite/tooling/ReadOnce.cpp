// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/tooling/ReadOnce.h"

#include "clang/Tooling/ArgumentsAdjusters.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace qdadvise {
namespace {

/// What belongs to another tool, or to the plugin in another process, is taken out.
bool isForeign(llvm::StringRef argument) {
  return argument.starts_with("-fplugin") || argument.starts_with("-fpass-plugin") ||
         argument.starts_with("--config=") || argument.starts_with("-fxray") ||
         argument.starts_with("-Werror");
}

tooling::CommandLineArguments adjusted(const tooling::CommandLineArguments &given,
                                       llvm::StringRef) {
  tooling::CommandLineArguments arguments;
  for (const std::string &argument : given)
    if (!isForeign(argument))
      arguments.push_back(argument);
  llvm::SmallString<256> beside(llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  llvm::sys::path::remove_filename(beside);
  llvm::sys::path::append(beside, "..", "..", "..", "include");
  llvm::SmallString<256> header(beside);
  llvm::sys::path::append(header, "qdadvise", "locks", "mcs_lock.h");
  const std::string locks =
      llvm::sys::fs::exists(header) ? beside.str().str() : QDADVISE_LOCKS_INCLUDE;
  // The compiler's own headers, and the locks that a changed program includes.
  const std::size_t at = std::min<std::size_t>(1, arguments.size());
  arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(at),
                   {"-resource-dir", QDADVISE_RESOURCE_DIR, "-idirafter", locks,
                    "-Wno-unknown-warning-option", "-Wno-unused-command-line-argument",
                    // Nor a count of warnings on standard error.
                    "-fno-caret-diagnostics"});
  return arguments;
}

/// One command of a file that is compiled in several ways: the tool would print which it is at.
class OneCommand : public tooling::CompilationDatabase {
public:
  explicit OneCommand(tooling::CompileCommand theCommand) : command(std::move(theCommand)) {}
  std::vector<tooling::CompileCommand> getCompileCommands(llvm::StringRef) const override {
    return {command};
  }

private:
  tooling::CompileCommand command;
};

} // namespace

bool readOnce(const tooling::CompileCommand &command, const std::string &unit,
              tooling::FrontendActionFactory &factory, DiagnosticConsumer &messages,
              const std::map<std::string, std::string> &changed) {
  const OneCommand one(command);
  tooling::ClangTool tool(one, {unit});
  tool.clearArgumentsAdjusters();
  tool.appendArgumentsAdjuster(tooling::getClangSyntaxOnlyAdjuster());
  tool.appendArgumentsAdjuster(tooling::getClangStripOutputAdjuster());
  tool.appendArgumentsAdjuster(tooling::getClangStripDependencyFileAdjuster());
  tool.appendArgumentsAdjuster(adjusted);
  tool.setDiagnosticConsumer(&messages);
  tool.setPrintErrorMessage(false);
  for (const auto &[path, text] : changed)
    tool.mapVirtualFile(path, text);
  return tool.run(&factory) == 0;
}

} // namespace qdadvise
