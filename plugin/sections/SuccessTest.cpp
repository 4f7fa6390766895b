// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sections/SuccessTest.h"

#include "plugin/ast/Expressions.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {
namespace {

std::optional<bool> negated(std::optional<bool> value) {
  return value ? std::optional(!*value) : std::nullopt;
}

} // namespace

bool SuccessTest::asksGuard(const Stmt &node) const {
  const auto *call = dyn_cast<CXXMemberCallExpr>(&node);
  const CXXMethodDecl *method = call ? call->getMethodDecl() : nullptr;
  const auto *object = method && guard
                           ? dyn_cast<DeclRefExpr>(&stripped(*call->getImplicitObjectArgument()))
                           : nullptr;
  return object && object->getDecl() == guard &&
         (isa<CXXConversionDecl>(method) ||
          (method->getIdentifier() && method->getName() == "owns_lock"));
}

std::optional<bool> SuccessTest::heldIf(const Expr *test) const {
  if (!test)
    return std::nullopt;
  const Expr &inner = stripped(*test);
  if (const auto *unary = dyn_cast<UnaryOperator>(&inner); unary && unary->getOpcode() == UO_LNot)
    return negated(heldIf(unary->getSubExpr()));
  if (const auto *binary = dyn_cast<BinaryOperator>(&inner); binary && binary->isLogicalOp()) {
    const bool isAnd = binary->getOpcode() == BO_LAnd; // true only if both are, as `||` is false
    const bool decides = heldIf(binary->getLHS()) == isAnd || heldIf(binary->getRHS()) == isAnd;
    return decides ? std::optional(isAnd) : std::nullopt;
  }
  const std::optional<CallOutcome> asked = callOutcome(inner, results, context);
  if (!asked || (asked->call != acquire && !asksGuard(*asked->call)))
    return std::nullopt;
  return tookLock(asked->call == acquire ? success : Success::nonZero, asked->whenTrue);
}

} // namespace qdadvise
