// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that some code names, and how.
#pragma once

#include "clang/AST/Expr.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <set>
#include <vector>

namespace qdadvise {

struct SectionNames {
  std::map<const clang::VarDecl *, std::vector<const clang::DeclRefExpr *>> uses;
  std::map<const clang::VarDecl *, std::size_t> reads; ///< those that only take the value
  std::set<const clang::VarDecl *> declared, addressed;
  const clang::DeclRefExpr *localConstant = nullptr; ///< of an enumeration in the function
  std::vector<const clang::CallExpr *> calls;

  /// Is it not named, or for its value only?
  bool isOnlyRead(const clang::VarDecl *variable) const;
};

/// Looks through all code but that in `without`.
SectionNames namesIn(llvm::ArrayRef<const clang::Stmt *> code,
                     const std::set<const clang::Stmt *> &without = {});

} // namespace qdadvise
