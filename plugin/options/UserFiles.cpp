// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/options/UserFiles.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using clang::DiagnosticsEngine;
using clang::SourceLocation;
using clang::SourceManager;
using llvm::StringRef;

namespace qdadvise {
namespace {

/// Adds a file to what `-MD` and its like list. A dependency collector learns of files
/// from the preprocessor; being asked for with __has_include is the mildest way to be known.
void addDependency(clang::CompilerInstance &compiler, clang::FileEntryRef file) {
  if (!compiler.hasPreprocessor())
    return;
  if (clang::PPCallbacks *callbacks = compiler.getPreprocessor().getPPCallbacks())
    callbacks->HasInclude(SourceLocation(), file.getName(), /*IsAngled=*/false, file,
                          clang::SrcMgr::C_User);
}

} // namespace

void reportWithoutPlace(DiagnosticsEngine &diagnostics, DiagnosticsEngine::Level level,
                        StringRef message) {
  const unsigned id = diagnostics.getCustomDiagID(level, "qdadvise: %0");
  diagnostics.Report(id) << message;
}

std::string mainFileName(const SourceManager &sources) {
  const clang::OptionalFileEntryRef file = sources.getFileEntryRefForID(sources.getMainFileID());
  return file ? file->getName().str() : "";
}

std::optional<std::string> readUserFile(clang::CompilerInstance &compiler, StringRef path,
                                        StringRef what, const PluginOptions &options) {
  clang::FileManager &files = compiler.getFileManager();
  // The compiler's file manager knows -working-directory and overlays.
  llvm::Expected<clang::FileEntryRef> entry = files.getFileRef(path, /*OpenFile=*/true);
  if (!entry) {
    reportWithoutPlace(
        compiler.getDiagnostics(), DiagnosticsEngine::Error,
        ("cannot read " + what + ": '" + path + "': " + llvm::toString(entry.takeError())).str());
    return std::nullopt;
  }
  const auto buffer = files.getBufferForFile(*entry);
  if (!buffer) {
    reportWithoutPlace(
        compiler.getDiagnostics(), DiagnosticsEngine::Error,
        ("cannot read " + what + ": '" + path + "': " + buffer.getError().message()).str());
    return std::nullopt;
  }
  if (options.dependencies)
    addDependency(compiler, *entry);
  return (*buffer)->getBuffer().str();
}

std::optional<UserConfig> readUserConfig(clang::CompilerInstance &compiler,
                                         const PluginOptions &options) {
  std::string path = options.config;
  if (path.empty()) {
    llvm::SmallString<256> folder(mainFileName(compiler.getSourceManager()));
    compiler.getFileManager().makeAbsolutePath(folder);
    path = findUserConfig(llvm::sys::path::parent_path(folder).str());
  }
  if (path.empty())
    return UserConfig();
  const std::optional<std::string> text = readUserFile(compiler, path, "configuration", options);
  if (!text)
    return std::nullopt;
  Expected<UserConfig> result = parseUserConfig(*text, path);
  DiagnosticsEngine &diagnostics = compiler.getDiagnostics();
  if (!result) {
    reportWithoutPlace(diagnostics, DiagnosticsEngine::Error,
                       "cannot read configuration: " + result.error().message);
    return std::nullopt;
  }
  if (!diagnostics.getIgnoreAllWarnings())
    for (const std::string &warning : result->warnings)
      reportWithoutPlace(diagnostics, DiagnosticsEngine::Warning, warning);
  return *std::move(result);
}

} // namespace qdadvise
