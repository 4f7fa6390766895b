// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/ast/CallArguments.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {
namespace {

/// What a local variable of that name was initialised with, or null. The names are those that the
/// macros of glibc's <pthread.h> give: they set the variables once.
const Expr *keptIn(const Expr &expression, llvm::StringRef name) {
  const auto *reference = dyn_cast<DeclRefExpr>(expression.IgnoreParenCasts());
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const bool isKept = variable && variable->hasLocalStorage() && variable->getInit() &&
                      variable->getIdentifier() && variable->getName() == name;
  return isKept ? variable->getInit()->IgnoreParenCasts() : nullptr;
}

} // namespace

const FunctionDecl *calledFunction(const CallExpr &call) {
  if (const FunctionDecl *callee = call.getDirectCallee())
    return callee;
  const Expr *routine = keptIn(*call.getCallee(), "__cancel_routine");
  if (const auto *address = dyn_cast_or_null<UnaryOperator>(routine);
      address && address->getOpcode() == UO_AddrOf)
    routine = address->getSubExpr()->IgnoreParenCasts();
  const auto *named = dyn_cast_or_null<DeclRefExpr>(routine);
  return named ? dyn_cast<FunctionDecl>(named->getDecl()) : nullptr;
}

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
  if (!plain || argument >= plain->getNumArgs())
    return nullptr;
  const Expr *pushed = keptIn(*plain->getArg(argument), "__cancel_arg");
  return pushed ? pushed : plain->getArg(argument);
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
