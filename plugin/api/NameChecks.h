// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with the names of `[[lock_api]]`, as far as a translation unit can tell. A name
// that is nothing here may be declared elsewhere.
#pragma once

#include "advisor/advice/UserConfig.h"

#include "clang/AST/ASTContext.h"

#include <string>
#include <vector>

namespace qdadvise {

struct NameProblem {
  std::string message;
  bool isCertain; ///< else it is likely: there is a name that differs by a letter or two
};

std::vector<NameProblem> problemsOf(const std::vector<LockApiEntry> &entries,
                                    clang::ASTContext &context);

/// Reports them as diagnostics without a place. False where a name cannot mean what it says: an
/// error of this compilation.
bool reportProblems(const UserConfig &config, clang::ASTContext &context);

} // namespace qdadvise
