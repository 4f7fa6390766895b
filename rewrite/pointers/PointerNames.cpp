// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/pointers/PointerNames.h"

#include "plugin/locksets/LockNames.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace qdadvise {

std::optional<LockType> pointedTo(QualType type, const ASTContext &context) {
  const QualType pointee = type.getNonReferenceType()->getPointeeType();
  if (!type->isPointerType() || pointee.hasQualifiers())
    return std::nullopt;
  if (pointee->isVoidType())
    return LockType();
  if (pointee->isArrayType())
    return std::nullopt;
  LockType lock = lockTypeOf(pointee, context);
  return lock.family == LockFamily::other ? std::nullopt : std::optional(std::move(lock));
}

const FunctionDecl *functionOf(const ParmVarDecl &parameter) {
  return dyn_cast<FunctionDecl>(parameter.getDeclContext());
}

std::string keyOfPointer(const ValueDecl &named) {
  const auto *parameter = dyn_cast<ParmVarDecl>(&named);
  const FunctionDecl *function = parameter ? functionOf(*parameter) : nullptr;
  return function ? keyOf(*function->getCanonicalDecl()) + "#" +
                        std::to_string(parameter->getFunctionScopeIndex())
                  : keyOf(named);
}

std::string keyOfResult(const FunctionDecl &function) {
  return keyOf(*function.getCanonicalDecl()) + "#result";
}

std::string keyOfPointerNamed(const Expr &name, const ASTContext &context) {
  const ValueDecl *named = nullptr;
  if (const auto *reference = dyn_cast<DeclRefExpr>(&name))
    named = reference->getDecl();
  else if (const auto *member = dyn_cast<MemberExpr>(&name))
    named = member->getMemberDecl();
  if (!named || !isa<VarDecl, FieldDecl>(named) || !pointedTo(named->getType(), context) ||
      context.getSourceManager().isInSystemHeader(named->getLocation()))
    return "";
  return keyOfPointer(*named);
}

bool isVirtual(const FunctionDecl &function) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  return method && method->isVirtual();
}

bool isFollowed(const FunctionDecl *callee, const ASTContext &context) {
  return callee && !isVirtual(*callee) && !callee->getBuiltinID() &&
         !context.getSourceManager().isInSystemHeader(callee->getLocation());
}

} // namespace qdadvise
