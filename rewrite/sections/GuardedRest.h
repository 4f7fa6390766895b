// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections as operations: may the rest of a block after a guard become a lambda, and how.
#pragma once

#include "rewrite/uses/LockUse.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"

#include <optional>
#include <string>

namespace qdadvise {

/// The section that a guard begins, which `construct` makes of `lock`. What it does is told by the
/// facts of its site, not here.
GuardedRest guardedRest(const clang::VarDecl &guard, const clang::CXXConstructExpr &construct,
                        const clang::Expr &lock, clang::ASTContext &context);

/// Where the destructor of the class of a lock can wait for helpers: `text` goes to the beginning
/// of `at`.
struct WaitingDestructor {
  TextRange at;
  std::string text;
};
std::optional<WaitingDestructor> waitingDestructor(const clang::FieldDecl &lock,
                                                   const clang::ASTContext &context);

} // namespace qdadvise
