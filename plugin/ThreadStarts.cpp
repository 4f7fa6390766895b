// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/ThreadStarts.h"

#include "plugin/LockApi.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {
namespace {

/// Is it a function as pthread_create wants it, `void *(void *)`?
bool looksLikeRoutine(const FunctionDecl &function) {
  return function.getReturnType()->isVoidPointerType() && function.getNumParams() == 1 &&
         !function.isVariadic() && function.getParamDecl(0)->getType()->isVoidPointerType();
}

/// The function that an argument is, or points to.
const FunctionDecl *namedFunction(const Expr &argument) {
  const Expr *named = argument.IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (const auto *address = dyn_cast<UnaryOperator>(named);
      address && address->getOpcode() == UO_AddrOf)
    named = address->getSubExpr()->IgnoreParenCasts();
  const auto *reference = dyn_cast<DeclRefExpr>(named);
  return reference ? dyn_cast<FunctionDecl>(reference->getDecl()) : nullptr;
}

/// The call operator of a lambda expression or another object that has one only.
const FunctionDecl *callOperator(const CXXRecordDecl &record) {
  const CXXMethodDecl *only = nullptr;
  if (!record.hasDefinition())
    return nullptr;
  for (const CXXMethodDecl *method : record.methods())
    if (method->getOverloadedOperator() == OO_Call) {
      if (only)
        return nullptr;
      only = method;
    }
  return only;
}

/// Is it a constructor of std::thread or std::jthread, or std::async?
bool startsThread(const FunctionDecl &callee) {
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&callee)) {
    const CXXRecordDecl *record = constructor->getParent();
    const IdentifierInfo *name = record->getIdentifier();
    return name && (name->isStr("thread") || name->isStr("jthread")) && record->isInStdNamespace();
  }
  const IdentifierInfo *name = callee.getIdentifier();
  return name && name->isStr("async") && callee.isInStdNamespace();
}

const FunctionDecl *routineOf(const Expr &argument) {
  if (const FunctionDecl *function = namedFunction(argument))
    return function;
  const CXXRecordDecl *record = argument.getType()->getAsCXXRecordDecl();
  return record && !record->isInStdNamespace() ? callOperator(*record) : nullptr;
}

} // namespace

void forEachStartRoutine(const CallExpr &call, const FunctionDecl &callee,
                         llvm::function_ref<void(const FunctionDecl &)> use) {
  const std::optional<unsigned> routine = startRoutineArgument(callee);
  for (unsigned index = 0; index < call.getNumArgs(); ++index)
    if (const FunctionDecl *function = namedFunction(*call.getArg(index)))
      if (routine == index || looksLikeRoutine(*function))
        use(*function);
}

const FunctionDecl *spawnedRoutine(const Expr &call, const FunctionDecl &callee) {
  if (!startsThread(callee))
    return nullptr;
  llvm::ArrayRef<const Expr *> arguments;
  if (const auto *construct = dyn_cast<CXXConstructExpr>(&call))
    arguments = {construct->getArgs(), construct->getNumArgs()};
  else if (const auto *plain = dyn_cast<CallExpr>(&call))
    arguments = {plain->getArgs(), plain->getNumArgs()};
  // The callable is the first argument, behind async's policy.
  for (const Expr *argument : arguments.take_front(2))
    if (const FunctionDecl *routine = routineOf(*argument))
      return routine;
  return nullptr;
}

} // namespace qdadvise
