// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "plugin/LockTable.h"

#include "clang/AST/Expr.h"

#include <optional>

namespace qdadvise {

/// What conditions say of whether an acquisition has succeeded: `if (m.try_lock())`,
/// `if (pthread_mutex_trylock(&m) != 0)`, `if (!guard)`.
class SuccessTest {
public:
  SuccessTest(const clang::Expr *acquireCall, const clang::VarDecl *guardVariable, Success meaning)
      : acquire(acquireCall), guard(guardVariable), success(meaning) {}

  /// Takes note of a variable that has the acquisition's result.
  void see(const clang::Stmt &node);

  /// Whether the lock is held where `test` is true (true), where it is false (false), or
  /// nothing that is known.
  std::optional<bool> heldIf(const clang::Expr *test) const;

  /// `guard`, `guard.owns_lock()`.
  bool asksGuard(const clang::Stmt &node) const;

private:
  std::optional<bool> heldIfBoth(const clang::BinaryOperator &test) const;

  const clang::Expr *acquire;
  const clang::VarDecl *guard;
  Success success; ///< what the value of `acquire` means
  const clang::ValueDecl *result = nullptr;
};

} // namespace qdadvise
