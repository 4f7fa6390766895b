// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/SuccessTest.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {
namespace {

std::optional<bool> negated(std::optional<bool> value) {
  return value ? std::optional(!*value) : std::nullopt;
}

bool isZero(const Expr &expression) {
  const auto *literal = dyn_cast<IntegerLiteral>(expression.IgnoreParenCasts());
  return literal && literal->getValue() == 0;
}

const ValueDecl *named(const Expr *expression) {
  const auto *reference =
      expression ? dyn_cast<DeclRefExpr>(expression->IgnoreParenCasts()) : nullptr;
  return reference ? reference->getDecl() : nullptr;
}

} // namespace

void SuccessTest::see(const Stmt &node) {
  if (const auto *declaration = dyn_cast<DeclStmt>(&node)) {
    for (const Decl *declared : declaration->decls())
      if (const auto *variable = dyn_cast<VarDecl>(declared);
          variable && variable->getInit() && variable->getInit()->IgnoreParenCasts() == acquire)
        result = variable;
  } else if (const auto *assignment = dyn_cast<BinaryOperator>(&node);
             assignment && assignment->getOpcode() == BO_Assign) {
    const ValueDecl *variable = named(assignment->getLHS());
    if (assignment->getRHS()->IgnoreParenCasts() == acquire)
      result = variable;
    else if (variable == result)
      result = nullptr; // has another value now
  }
}

bool SuccessTest::asksGuard(const Stmt &node) const {
  const auto *call = dyn_cast<CXXMemberCallExpr>(&node);
  const CXXMethodDecl *method = call ? call->getMethodDecl() : nullptr;
  return method && guard && named(call->getImplicitObjectArgument()) == guard &&
         (isa<CXXConversionDecl>(method) ||
          (method->getIdentifier() && method->getName() == "owns_lock"));
}

std::optional<bool> SuccessTest::heldIf(const Expr *test) const {
  if (!test)
    return std::nullopt;
  const Expr *expression = test->IgnoreParenCasts();
  if (const auto *cleanups = dyn_cast<ExprWithCleanups>(expression))
    expression = cleanups->getSubExpr()->IgnoreParenCasts();
  if (const auto *unary = dyn_cast<UnaryOperator>(expression);
      unary && unary->getOpcode() == UO_LNot)
    return negated(heldIf(unary->getSubExpr()));
  if (const auto *binary = dyn_cast<BinaryOperator>(expression))
    return heldIfBoth(*binary);
  if (asksGuard(*expression))
    return true;
  if (expression != acquire && !(result && named(expression) == result))
    return std::nullopt;
  if (success == Success::nonZero || success == Success::zero)
    return success == Success::nonZero;
  return std::nullopt;
}

std::optional<bool> SuccessTest::heldIfBoth(const BinaryOperator &test) const {
  const std::optional<bool> left = heldIf(test.getLHS()), right = heldIf(test.getRHS());
  if (test.getOpcode() == BO_LAnd && (left == true || right == true))
    return true;
  if (test.getOpcode() == BO_LOr && (left == false || right == false))
    return false;
  if (test.isEqualityOp() && isZero(*test.getRHS()))
    return test.getOpcode() == BO_EQ ? negated(left) : left;
  return test.getOpcode() == BO_Assign ? right : std::nullopt;
}

} // namespace qdadvise
