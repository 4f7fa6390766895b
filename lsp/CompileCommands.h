// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the files of a project are compiled.
#pragma once

#include "advisor/support/Error.h"
#include "lsp/WatchedFiles.h"

#include "clang/Tooling/CompilationDatabase.h"

#include <map>
#include <memory>
#include <string>

namespace qdadvise {

class CompileCommands {
public:
  /// `folder` has compile_commands.json; "": it is looked for above each file, there and in
  /// `build`.
  explicit CompileCommands(std::string folder) : given(std::move(folder)) {}

  /// How a file is compiled: as the database says or, for a header, as a source that is like it.
  Expected<clang::tooling::CompileCommand> commandFor(const std::string &file);

  /// The folder of the database that says how a file is compiled, or "".
  std::string folderOf(const std::string &file) const;

  /// Forgets databases that have changed on disk; whether there is one.
  bool forgetChanged();

private:
  struct Database {
    std::unique_ptr<clang::tooling::CompilationDatabase> commands;
    WatchedFiles file;
  };
  std::string given;
  std::map<std::string, Database> databases; ///< by path
};

} // namespace qdadvise
