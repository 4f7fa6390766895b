// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "plugin/api/LockOperation.h"
#include "plugin/locksets/BranchOutcome.h"

#include "clang/AST/Expr.h"

#include <optional>

namespace qdadvise {

/// Whether conditions say that an acquisition has succeeded: `if (m.try_lock())`,
/// `if (pthread_mutex_trylock(&m) != 0)`, `if (!guard)`.
class SuccessTest {
public:
  SuccessTest(const clang::Expr *acquireCall, const clang::VarDecl *guardVariable, Success meaning,
              const clang::ASTContext &astContext)
      : context(astContext), acquire(acquireCall), guard(guardVariable), success(meaning) {}

  /// Takes note of variables that have the results of calls.
  void see(const clang::Stmt &node) { noteResults(node, results); }

  /// Whether the lock is held where `test` is true (true), where it is false (false), or
  /// nothing that is known.
  std::optional<bool> heldIf(const clang::Expr *test) const;

  /// `guard`, `guard.owns_lock()`.
  bool asksGuard(const clang::Stmt &node) const;

private:
  const clang::ASTContext &context;
  const clang::Expr *acquire;
  const clang::VarDecl *guard;
  Success success; ///< what the value of `acquire` means
  ResultVariables results;
};

} // namespace qdadvise
