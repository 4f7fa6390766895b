// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program as the compilation database has it: reads all of its units, and compiles them again
// with changed files in memory.
#pragma once

#include "advisor/advice/AdviceFile.h"
#include "advisor/support/Error.h"
#include "rewrite/uses/ProgramUses.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace clang::tooling {
class CompilationDatabase;
}

namespace qdadvise {

class Program {
public:
  /// Of `folder`/compile_commands.json.
  static Expected<Program> open(const std::string &folder);
  Program(Program &&) noexcept;
  ~Program();

  const std::vector<std::string> &units() const { return files; }

  /// Collects the locks and their uses in all units. `advice` is matched with their sites.
  ProgramUses collect(const AdviceFile &advice, const WantedUses &wanted) const;

  /// What is wrong with these units where `changed` holds the text of some files: their errors,
  /// and warnings that `before` has not. One line each, of the first unit that has any; none: all
  /// is well.
  std::vector<std::string> problemsWith(const std::map<std::string, std::string> &changed,
                                        const std::set<std::string> &units,
                                        const ProgramUses &before) const;

  /// The CMake targets that units belong to, as far as the database tells.
  std::set<std::string> targetsOf(const std::set<std::string> &units) const;

private:
  explicit Program(std::unique_ptr<clang::tooling::CompilationDatabase> commands);

  std::unique_ptr<clang::tooling::CompilationDatabase> database;
  std::vector<std::string> files;
};

} // namespace qdadvise
