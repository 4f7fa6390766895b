// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a pointer comes from: what an expression of a pointer's type is made of.
#pragma once

#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/TypeLoc.h"

#include <set>
#include <string>
#include <vector>

namespace qdadvise {

struct PointerSource {
  std::set<std::string> nodes;   ///< keys of the pointers that it may come from
  std::set<std::string> results; ///< those of them that are results of functions
  bool isNewed = false, isMalloced = false;
  const clang::Expr *unknown = nullptr;        ///< what is not understood
  std::vector<LockUse> edits;                  ///< texts that name the lock's type
  std::vector<const clang::Expr *> understood; ///< names and locks that stand in it
};

PointerSource sourceOf(const clang::Expr &pointer, clang::ASTContext &context);

/// The text that names a lock's type; gated where there is none.
LockUse typeTextUse(clang::TypeLoc type, const clang::ASTContext &context);

} // namespace qdadvise
