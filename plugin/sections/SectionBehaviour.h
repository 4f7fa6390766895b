// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a critical section does, as far as the source tells: may it be left by return or
// by a jump, does it wait, read files, take another lock; is it one update of an integer.
#pragma once

#include "plugin/api/LockOperation.h"
#include "plugin/sections/CallEffects.h"
#include "plugin/sections/ShownFacts.h"

#include "clang/AST/Expr.h"

namespace qdadvise {

/// Where a critical section begins, and what ends it.
struct SectionStart {
  const clang::Stmt *body = nullptr;    ///< of the function
  const clang::Expr *acquire = nullptr; ///< the lock is held when this is evaluated
  /// The lock is released at the end of this variable's scope, if not before; or null.
  const clang::VarDecl *guard = nullptr;
  bool isTemporary = false;          ///< a guard without a name: with its full expression
  bool isWrapper = false;            ///< a function that releases some lock is its counterpart
  Success success = Success::always; ///< what the value of `acquire` means
};

/// Follows all paths from the acquisition to the releases, so every fact is a `may`. A
/// `return` or a jump leaves the section where the lock is held, and where a branch
/// within the section has released it on its own. `releases` tells of a call whether it
/// releases this lock.
SectionFacts sectionFacts(const SectionStart &start, CallEffects &effects,
                          const clang::ASTContext &context,
                          llvm::function_ref<bool(const clang::CallExpr &)> releases);

} // namespace qdadvise
