// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads one unit by one command of a compilation database, in this process.
#pragma once

#include "clang/Basic/Diagnostic.h"
#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/Tooling.h"

#include <map>
#include <string>

namespace qdadvise {

/// `changed` holds the text of files that are otherwise on disk. False: it has errors, which
/// `messages` was told.
bool readOnce(const clang::tooling::CompileCommand &command, const std::string &unit,
              clang::tooling::FrontendActionFactory &factory, clang::DiagnosticConsumer &messages,
              const std::map<std::string, std::string> &changed);

} // namespace qdadvise
