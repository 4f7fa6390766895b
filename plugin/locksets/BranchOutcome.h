// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a condition tells: the result of the call that it asks about, or that it asks what another
// condition has asked before.
#pragma once

#include "plugin/api/LockOperation.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace qdadvise {

/// The calls whose result a variable has.
using ResultVariables = llvm::DenseMap<const clang::VarDecl *, const clang::Expr *>;

/// Takes note of a statement that gives variables the results of calls, or other values.
void noteResults(const clang::Stmt &statement, ResultVariables &results);

/// A condition that is true just when the call's result is `whenTrue`.
struct CallOutcome {
  const clang::Expr *call;
  enum class Result : unsigned char { zero, nonZero, minusOne, notMinusOne } whenTrue;
};
std::optional<CallOutcome> callOutcome(const clang::Expr &condition, const ResultVariables &results,
                                       const clang::ASTContext &context);

/// Has a call of that kind of success taken its lock, given that its result is so?
/// Nothing where that does not follow.
std::optional<bool> tookLock(Success success, CallOutcome::Result result);

/// The opposite result.
CallOutcome::Result opposite(CallOutcome::Result result);

/// A condition without effects and calls, to be recognised again: a variable or member,
/// perhaps negated or compared.
struct PlainCondition {
  std::uint64_t hash;
  bool negated;
};
std::optional<PlainCondition> plainCondition(const clang::Expr &condition,
                                             const clang::ASTContext &context);

} // namespace qdadvise
