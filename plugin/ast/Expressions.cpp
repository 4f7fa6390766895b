// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/ast/Expressions.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/IgnoreExpr.h"
#include "llvm/ADT/FoldingSet.h"

using namespace clang;

namespace qdadvise {

const Expr &stripped(const Expr &expression) {
  return *IgnoreExprNodes(&expression, IgnoreParensSingleStep, IgnoreCastsSingleStep,
                          IgnoreImplicitSingleStep);
}

std::optional<std::int64_t> constantOf(const Expr &expression, const ASTContext &context) {
  if (expression.isNullPointerConstant(const_cast<ASTContext &>(context),
                                       Expr::NPC_ValueDependentIsNotNull))
    return 0;
  Expr::EvalResult value;
  if (expression.isValueDependent() || !expression.getType()->isIntegralOrEnumerationType() ||
      !expression.EvaluateAsInt(value, context))
    return std::nullopt;
  return value.Val.getInt().extOrTrunc(64).getSExtValue();
}

llvm::FoldingSetNodeID identityOf(const Expr &expression, const ASTContext &context) {
  llvm::FoldingSetNodeID identity;
  expression.IgnoreParenImpCasts()->Profile(identity, context, /*Canonical=*/true);
  return identity;
}

std::uint64_t expressionHash(const Expr &expression, const ASTContext &context) {
  return identityOf(expression, context).ComputeHash();
}

} // namespace qdadvise
