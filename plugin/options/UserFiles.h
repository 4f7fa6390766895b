// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of the user's that a compilation reads besides its sources, and the
// configuration among them.
#pragma once

#include "advisor/advice/UserConfig.h"
#include "plugin/options/Options.h"

#include "clang/Basic/Diagnostic.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace clang {
class CompilerInstance;
class SourceManager;
} // namespace clang

namespace qdadvise {

/// Reports `qdadvise: ...`, which is about the compilation as a whole and has no place in the
/// source.
void reportWithoutPlace(clang::DiagnosticsEngine &diagnostics,
                        clang::DiagnosticsEngine::Level level, llvm::StringRef message);

std::string mainFileName(const clang::SourceManager &sources);

/// The text of a file, which becomes part of the dependency output if that is wanted. What cannot
/// be read is an error of this compilation; `what` names it.
std::optional<std::string> readUserFile(clang::CompilerInstance &compiler, llvm::StringRef path,
                                        llvm::StringRef what, const PluginOptions &options);

/// The configuration that the arguments name, or the nearest one; an empty one where there
/// is none. Call it once the main file is known and before the dependency output is written.
/// Nothing where it cannot be read, which is an error of this compilation.
std::optional<UserConfig> readUserConfig(clang::CompilerInstance &compiler,
                                         const PluginOptions &options);

} // namespace qdadvise
