// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/BranchOutcome.h"

#include "plugin/ast/Expressions.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {
namespace {

using Result = CallOutcome::Result;

std::optional<Result> comparison(BinaryOperatorKind comparing, std::int64_t with) {
  switch (comparing) {
  case BO_EQ:
    if (with == 0)
      return Result::zero;
    return with == -1 ? Result::minusOne : Result::nonZero; // == EBUSY
  case BO_NE:
    if (with == 0)
      return Result::nonZero;
    return with == -1 ? std::optional(Result::notMinusOne) : std::nullopt;
  case BO_LT:
  case BO_GT:
    return with == 0 ? std::optional(Result::nonZero) : std::nullopt;
  default:
    return std::nullopt;
  }
}

bool isPlain(const Expr &expression, unsigned depth) {
  const Expr &inner = stripped(expression);
  if (depth == 0)
    return false;
  if (isa<DeclRefExpr, CXXThisExpr, IntegerLiteral, CXXBoolLiteralExpr, CXXNullPtrLiteralExpr>(
          inner))
    return true;
  if (const auto *member = dyn_cast<MemberExpr>(&inner))
    return isPlain(*member->getBase(), depth - 1);
  if (const auto *unary = dyn_cast<UnaryOperator>(&inner))
    return !unary->isIncrementDecrementOp() && isPlain(*unary->getSubExpr(), depth - 1);
  if (const auto *binary = dyn_cast<BinaryOperator>(&inner))
    return !binary->isAssignmentOp() && isPlain(*binary->getLHS(), depth - 1) &&
           isPlain(*binary->getRHS(), depth - 1);
  return false;
}

} // namespace

void noteResults(const Stmt &statement, ResultVariables &results) {
  if (const auto *declaration = dyn_cast<DeclStmt>(&statement)) {
    for (const Decl *declared : declaration->decls())
      if (const auto *variable = dyn_cast<VarDecl>(declared); variable && variable->getInit())
        if (const auto *made = dyn_cast<CallExpr>(variable->getInit()->IgnoreParenCasts()))
          results[variable] = made;
    return;
  }
  const auto *assignment = dyn_cast<BinaryOperator>(&statement);
  if (!assignment || assignment->getOpcode() != BO_Assign)
    return;
  const auto *reference = dyn_cast<DeclRefExpr>(assignment->getLHS()->IgnoreParens());
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (!variable)
    return;
  if (const auto *made = dyn_cast<CallExpr>(assignment->getRHS()->IgnoreParenCasts()))
    results[variable] = made;
  else
    results.erase(variable);
}

Result opposite(Result result) {
  switch (result) {
  case Result::zero:
    return Result::nonZero;
  case Result::nonZero:
    return Result::zero;
  case Result::minusOne:
    return Result::notMinusOne;
  case Result::notMinusOne:
    return Result::minusOne;
  }
  llvm_unreachable("all results are handled");
}

std::optional<CallOutcome> callOutcome(const Expr &condition, const ResultVariables &results,
                                       const ASTContext &context) {
  const Expr &inner = stripped(condition);
  if (const auto *unary = dyn_cast<UnaryOperator>(&inner); unary && unary->getOpcode() == UO_LNot) {
    auto asked = callOutcome(*unary->getSubExpr(), results, context);
    if (asked)
      asked->whenTrue = opposite(asked->whenTrue);
    return asked;
  }
  if (const auto *binary = dyn_cast<BinaryOperator>(&inner)) {
    if (binary->getOpcode() == BO_Assign || binary->getOpcode() == BO_Comma)
      return callOutcome(*binary->getRHS(), results, context);
    std::optional<std::int64_t> with = constantOf(*binary->getRHS(), context);
    const Expr *asked = binary->getLHS();
    if (!with) {
      with = constantOf(*binary->getLHS(), context);
      asked = binary->getRHS();
    }
    const auto result = with ? comparison(binary->getOpcode(), *with) : std::nullopt;
    auto outcome = result ? callOutcome(*asked, results, context) : std::nullopt;
    // `(a() != 0) == 0` asks twice.
    if (!outcome || outcome->whenTrue == Result::nonZero)
      return outcome ? std::optional(CallOutcome{outcome->call, *result}) : std::nullopt;
    if (*result == Result::nonZero)
      return outcome;
    if (*result == Result::zero)
      return CallOutcome{outcome->call, opposite(outcome->whenTrue)};
    return std::nullopt;
  }
  if (isa<CallExpr>(inner))
    return CallOutcome{&inner, Result::nonZero};
  if (const auto *reference = dyn_cast<DeclRefExpr>(&inner))
    if (const auto *variable = dyn_cast<VarDecl>(reference->getDecl()))
      if (const auto known = results.find(variable); known != results.end())
        return CallOutcome{known->second, Result::nonZero};
  return std::nullopt;
}

std::optional<bool> tookLock(Success success, Result result) {
  const bool isZero = result == Result::zero;
  switch (success) {
  case Success::zero:
    return result == Result::notMinusOne ? std::nullopt : std::optional(isZero);
  case Success::nonZero:
    return !isZero;
  case Success::minusOne:
    if (result == Result::nonZero)
      return std::nullopt;
    return result == Result::minusOne;
  case Success::always:
  case Success::ownsField:
    return std::nullopt;
  }
  llvm_unreachable("all kinds of success are handled");
}

std::optional<PlainCondition> plainCondition(const Expr &condition, const ASTContext &context) {
  constexpr unsigned deepest = 6;
  const Expr &inner = stripped(condition);
  if (const auto *unary = dyn_cast<UnaryOperator>(&inner); unary && unary->getOpcode() == UO_LNot) {
    auto same = plainCondition(*unary->getSubExpr(), context);
    if (same)
      same->negated = !same->negated;
    return same;
  }
  if (const auto *binary = dyn_cast<BinaryOperator>(&inner); binary && binary->isEqualityOp())
    if (constantOf(*binary->getRHS(), context) == 0) {
      auto same = plainCondition(*binary->getLHS(), context);
      if (same && binary->getOpcode() == BO_EQ)
        same->negated = !same->negated;
      return same;
    }
  if (!isPlain(inner, deepest))
    return std::nullopt;
  return PlainCondition{expressionHash(inner, context), false};
}

} // namespace qdadvise
