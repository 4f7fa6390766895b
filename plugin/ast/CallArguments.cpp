// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/ast/CallArguments.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {

const Expr *argumentOf(const Expr &call, unsigned argument) {
  if (const auto *construct = dyn_cast<CXXConstructExpr>(&call))
    return argument > 0 && argument <= construct->getNumArgs() ? construct->getArg(argument - 1)
                                                               : nullptr;
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(&call)) {
    if (argument == 0)
      return member->getImplicitObjectArgument();
    --argument;
  }
  const auto *plain = dyn_cast<CallExpr>(&call);
  return plain && argument < plain->getNumArgs() ? plain->getArg(argument) : nullptr;
}

bool isThroughArrow(const Expr &call) {
  const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
  const auto *access = member ? dyn_cast<MemberExpr>(member->getCallee()->IgnoreParens()) : nullptr;
  return access && access->isArrow() && !access->isImplicitAccess();
}

bool isInstanceMember(const FunctionDecl &function) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  return method && method->isInstance();
}

unsigned argumentOfParameter(const FunctionDecl &function, unsigned parameter) {
  return parameter + (isInstanceMember(function) ? 1 : 0);
}

} // namespace qdadvise
