// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/LockOwner.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {

bool hasDestructor(QualType type) {
  const CXXRecordDecl *record = type.getNonReferenceType()->getAsCXXRecordDecl();
  return record && record->hasDefinition() && !record->hasTrivialDestructor();
}

Owner ownerOf(const Expr &call, const ConstructionContext *made, const FunctionDecl &function) {
  if (!hasDestructor(call.getType()))
    return {};
  // A base, or the object that the constructor which delegates is for.
  if (const auto *construct = dyn_cast<CXXConstructExpr>(&call);
      construct && construct->getConstructionKind() != CXXConstructionKind::Complete)
    return {Owner::Kind::object, nullptr};
  return ownerOf(made, function);
}

Owner ownerOf(const ConstructionContext *made, const FunctionDecl &function) {
  // Part of something larger, as in `return {Guard(a), Guard(b)}`.
  const Owner part{hasDestructor(function.getReturnType()) ? Owner::Kind::result
                                                           : Owner::Kind::temporary,
                   nullptr};
  if (!made)
    return part;
  switch (made->getKind()) {
  case ConstructionContext::SimpleVariableKind:
  case ConstructionContext::CXX17ElidedCopyVariableKind: {
    const auto *variable =
        dyn_cast<VarDecl>(cast<VariableConstructionContext>(made)->getDeclStmt()->getSingleDecl());
    if (variable && variable->hasLocalStorage())
      return {Owner::Kind::variable, variable->getCanonicalDecl()};
    return {Owner::Kind::object, nullptr};
  }
  case ConstructionContext::SimpleConstructorInitializerKind:
  case ConstructionContext::CXX17ElidedCopyConstructorInitializerKind:
  case ConstructionContext::NewAllocatedObjectKind:
    return {Owner::Kind::object, nullptr};
  case ConstructionContext::SimpleReturnedValueKind:
  case ConstructionContext::CXX17ElidedCopyReturnedValueKind:
    return {Owner::Kind::result, nullptr};
  case ConstructionContext::ElidedTemporaryObjectKind:
    return ownerOf(
        cast<ElidedTemporaryObjectConstructionContext>(made)->getConstructionContextAfterElision(),
        function);
  default:
    return {Owner::Kind::temporary, nullptr};
  }
}

} // namespace qdadvise
