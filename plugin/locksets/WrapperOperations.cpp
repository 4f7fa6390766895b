// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/WrapperOperations.h"

#include "plugin/ast/CallArguments.h"
#include "plugin/locksets/LockNames.h"
#include "plugin/locksets/WrapperNames.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using llvm::StringRef;

namespace qdadvise {
namespace {

bool isPointer(QualType type) { return type->isPointerType() || type->isReferenceType(); }

/// The parameter that a function of such a name locks: the first pointer, else the first number.
std::optional<unsigned> lockParameter(const FunctionDecl &function) {
  const bool isConstructor = isa<CXXConstructorDecl>(function);
  std::optional<unsigned> number;
  for (const ParmVarDecl *parameter : function.parameters()) {
    const QualType type = parameter->getType();
    if (isPointer(type) && (!isConstructor || type->getPointeeType()->isRecordType()))
      return parameter->getFunctionScopeIndex();
    if (!number && type->isIntegerType())
      number = parameter->getFunctionScopeIndex();
  }
  return number;
}

/// The parameter that a function which waits is given as its lock, by the name of its type.
std::optional<unsigned> waitParameter(const FunctionDecl &function) {
  for (const ParmVarDecl *parameter : function.parameters()) {
    const QualType type = parameter->getType();
    const std::string name = isPointer(type) ? type->getPointeeType().getAsString() : "";
    for (const StringRef word : {"mutex", "lock", "mtx", "latch"})
      if (StringRef(name).contains_insensitive(word))
        return parameter->getFunctionScopeIndex();
  }
  return std::nullopt;
}

} // namespace

LockOperation wrapperOperation(const FunctionDecl &function, const LockEffect &effect,
                               const ASTContext &context) {
  LockOperation operation;
  operation.role = SiteRole::wrapper;
  operation.success = effect.success;
  operation.waits = effect.reacquired;
  if (operation.waits)
    operation.flags |= siteWaits;
  if (effect.shared)
    operation.flags |= siteShared;
  if (effect.success != Success::always)
    operation.flags |= siteTry;
  if (!effect.taken)
    return operation;
  const LockPath &path = *effect.taken;
  if (path.base == LockPath::Base::object)
    operation.locks.push_back({0, {}, path.offset(context)});
  if (path.base == LockPath::Base::parameter) {
    const auto parameter = static_cast<unsigned>(path.number);
    operation.locks.push_back({argumentOfParameter(function, parameter), {}, path.offset(context)});
  }
  return operation;
}

std::optional<LockOperation> wrapperByName(const FunctionDecl &function) {
  const NameMeaning says = meaningOfName(function);
  if (says == NameMeaning::nothing || says == NameMeaning::releases)
    return std::nullopt;
  LockOperation operation;
  operation.role = SiteRole::wrapper;
  operation.waits = says == NameMeaning::waits;
  if (operation.waits) {
    operation.flags |= siteWaits;
    // A function without such a parameter waits on a condition that knows its lock. The condition
    // itself is no lock.
    if (const std::optional<unsigned> parameter = waitParameter(function))
      operation.locks.push_back({argumentOfParameter(function, *parameter), {}, 0});
    return operation;
  }
  if (says == NameMeaning::tries) {
    operation.flags |= siteTry;
    const QualType result = function.getReturnType();
    if (result->isBooleanType() || result->isPointerType())
      operation.success = Success::nonZero;
  }
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  if (method && !method->isStatic() && !isa<CXXConstructorDecl>(method))
    operation.locks.push_back({0, {}, 0});
  else if (const std::optional<unsigned> parameter = lockParameter(function))
    operation.locks.push_back({argumentOfParameter(function, *parameter), {}, 0});
  return operation;
}

std::string lockText(const Expr &argument, bool throughArrow, const ASTContext &context) {
  if (isa<CXXThisExpr>(argument.IgnoreParenImpCasts()))
    return "*this";
  return throughArrow ? pointeeExpression(argument, context) : lockExpression(argument, context);
}

std::string pathText(const Expr &call, const FunctionDecl &callee, const LockPath &path,
                     const ASTContext &context) {
  const Expr *base = nullptr;
  switch (path.base) {
  case LockPath::Base::unknown:
    return lockExpression(call, context);
  case LockPath::Base::variable:
    if (path.variable->hasLocalStorage() && !path.variable->isStaticLocal())
      return lockExpression(call, context);
    return path.variable->getNameAsString() + path.suffix(/*baseIsPointer=*/false);
  case LockPath::Base::object:
    base = argumentOf(call, 0);
    break;
  case LockPath::Base::parameter:
    base = argumentOf(call, argumentOfParameter(callee, static_cast<unsigned>(path.number)));
    break;
  }
  if (!base || base->getType()->isIntegralOrEnumerationType())
    return lockExpression(call, context);
  const bool ofObject = path.base == LockPath::Base::object;
  if (path.steps.empty())
    return lockText(*base, ofObject && isThroughArrow(call), context);
  const Expr *plain = base->IgnoreParenImpCasts();
  const bool isPointer = base->getType()->isPointerType() || base->getType()->isArrayType();
  std::string after =
      path.suffix(isPointer && !(isa<UnaryOperator>(plain) &&
                                 cast<UnaryOperator>(plain)->getOpcode() == UO_AddrOf));
  if (!isa<CXXThisExpr>(plain))
    return lockExpression(*base, context) + after;
  return after.starts_with("->") ? after.substr(2) : "*this" + after;
}

} // namespace qdadvise
