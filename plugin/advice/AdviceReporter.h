// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the advice and prints it as diagnostics at the source line. advisor/advice decides what to
// say and where.
#pragma once

#include "advisor/advice/AdviceFile.h"
#include "advisor/advice/Placement.h"
#include "advisor/advice/UserConfig.h"
#include "plugin/options/Options.h"
#include "plugin/sites/LockSites.h"

#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"

#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace clang {
class CompilerInstance;
}

namespace qdadvise {

/// Advice that has a place in this translation unit.
struct PlacedAdvice {
  const Advice &advice;
  clang::SourceLocation at;
  const LockSite *site;              ///< null where only its line identifies it
  clang::SourceLocation declaration; ///< of the lock; invalid where nobody knows
  bool stale;
};

/// Who wants to know where all advice stands, that to keep a lock as well, and not only what is
/// printed: an editor's server.
class AdviceObserver {
public:
  virtual ~AdviceObserver() = default;
  /// Called before the diagnostics of this place are printed; not for what is suppressed.
  virtual void placed(const PlacedAdvice &place) = 0;
};

class AdviceReporter {
public:
  /// All must outlive the reporter; the observer may be null.
  AdviceReporter(clang::CompilerInstance &compiler, const PluginOptions &options,
                 AdviceObserver *observer = nullptr)
      : compiler(compiler), options(options), observer(observer) {}

  /// Reads the advice that the arguments or the configuration name, before the dependency
  /// output is written: the file becomes part of it. What cannot be read is an error of
  /// this compilation. False: there is nothing to say.
  bool load(const UserConfig &config);

  /// Prints what `load` read, at the sites of this translation unit.
  void report(const LockTable &table);

private:
  /// Prints what `load` read, at sites of this translation unit.
  void reportPlaced(const Placements &placements, const std::vector<const LockSite *> &sites);
  /// Prints one advice at one site, or once for all of its lock (Grouping).
  void print(const Advice &advice, const LockSite &site);
  void reportNotes(clang::SourceLocation at, const Advice &advice);
  /// Advice that only its line and column identify.
  void reportByPlace(const Advice &advice);
  /// Whether the configuration or a comment at the site or at the lock's declaration says that it
  /// is to be kept; counts, and says so with `verbose`.
  bool isSuppressed(const Advice &advice, clang::SourceLocation at,
                    clang::SourceLocation declaration);

  clang::CompilerInstance &compiler;
  const PluginOptions &options;
  AdviceObserver *observer;
  Severity severity = Severity::warning;
  UserConfig config;
  unsigned suppressed = 0; ///< sites
  std::map<std::string, std::vector<std::pair<const Advice *, const LockSite *>>> byLock;
  std::set<std::pair<std::string, std::string>> noted; ///< lock, note
  AdviceFile file;
  std::time_t written = 0; ///< when `file` was
};

} // namespace qdadvise
