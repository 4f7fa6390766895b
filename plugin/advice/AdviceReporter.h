// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the advice and prints it as diagnostics at the source line. advisor/advice decides what to
// say and where.
#pragma once

#include "advisor/advice/AdviceFile.h"
#include "advisor/advice/UserConfig.h"
#include "plugin/options/Options.h"
#include "plugin/sites/LockSites.h"

#include "llvm/ADT/StringRef.h"

#include <ctime>
#include <optional>
#include <string>

namespace clang {
class CompilerInstance;
}

namespace qdadvise {

class AdviceReporter {
public:
  /// Both must outlive the reporter.
  AdviceReporter(clang::CompilerInstance &compiler, const PluginOptions &options)
      : compiler(compiler), options(options) {}

  /// Reads the advice that the arguments or the configuration name, before the dependency
  /// output is written: the file becomes part of it. What cannot be read is an error of
  /// this compilation. False: there is nothing to say.
  bool load(const UserConfig &config);

  /// Prints what `load` read, at the sites of this translation unit.
  void report(const LockTable &table);

private:
  /// Advice that only its line and column identify.
  void reportByPlace(const Advice &advice);

  clang::CompilerInstance &compiler;
  const PluginOptions &options;
  Severity severity = Severity::warning;
  AdviceFile file;
  std::time_t written = 0; ///< when `file` was
};

} // namespace qdadvise
