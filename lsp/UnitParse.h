// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a translation unit as the compiler with the plugin does, in this process, and keeps what it
// would print.
#pragma once

#include "advisor/support/Error.h"
#include "lsp/Findings.h"
#include "plugin/options/Options.h"

#include "clang/Tooling/CompilationDatabase.h"

#include <map>
#include <string>

namespace qdadvise {

/// The plugin's arguments in a command. Hooks are the compiler's business.
Expected<PluginOptions> pluginOptionsOf(const clang::tooling::CompileCommand &command);

/// `buffers`: the text of files that are otherwise on disk. A crash of the parser is an error of
/// the source.
UnitFindings parseUnit(const clang::tooling::CompileCommand &command, const PluginOptions &options,
                       const std::map<std::string, std::string> &buffers);

/// The path that names a file wherever it is linked from.
std::string realPath(llvm::StringRef path);

} // namespace qdadvise
