// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edits of several locks in several files, as the text that the files get.
#pragma once

#include "advisor/support/Error.h"
#include "rewrite/LockPlan.h"

#include "clang/Tooling/Core/Replacement.h"

#include <map>
#include <string>

namespace qdadvise {

class FileEdits {
public:
  /// Adds all edits of a lock, or none where one of them overlaps another lock's: false.
  bool add(const LockPlan &plan);

  /// The new text of each file that changes. The lines that change are formatted where there is a
  /// .clang-format.
  Expected<std::map<std::string, std::string>> apply() const;

  const std::map<std::string, clang::tooling::Replacements> &replacements() const { return files; }

private:
  std::map<std::string, clang::tooling::Replacements> files;
};

/// The text of a file, or what is wrong with it.
Expected<std::string> readText(const std::string &path);

} // namespace qdadvise
