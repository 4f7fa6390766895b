// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/CallWalk.h"

#include "plugin/ast/CallArguments.h"
#include "plugin/ast/DeclNames.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace clang;

namespace qdadvise {

bool CallWalk::TraverseDecl(Decl *decl) {
  if (!decl)
    return true;
  if (const auto *space = dyn_cast<NamespaceDecl>(decl); space && isStandardNamespace(*space)) {
    atStandardNamespace(*space);
    return true;
  }
  if (const auto *record = dyn_cast<CXXRecordDecl>(decl)) {
    if (record->isDependentContext())
      return true;
    if (record->isThisDeclarationADefinition())
      atClass(*record);
  }
  if (const auto *function = dyn_cast<FunctionDecl>(decl))
    return traverseFunction(*function);
  return Base::TraverseDecl(decl);
}

bool CallWalk::TraverseVarDecl(VarDecl *variable) {
  const VarDecl *outer = initialised;
  initialised = variable;
  const bool goOn = Base::TraverseVarDecl(variable);
  initialised = outer;
  return goOn;
}

bool CallWalk::TraverseStmt(Stmt *statement) {
  if (!statement)
    return true;
  path.push_back(statement);
  const bool goOn = Base::TraverseStmt(statement);
  path.pop_back();
  return goOn;
}

bool CallWalk::VisitCallExpr(CallExpr *call) {
  const FunctionDecl *callee = calledFunction(*call);
  if (!callee || call->isTypeDependent() || call->isValueDependent())
    return true;
  atCall({call, callee, call->getExprLoc(),
          call->getType()->isRecordType() && guardVariable() != nullptr});
  return true;
}

bool CallWalk::VisitDeclRefExpr(DeclRefExpr *reference) {
  const auto *function = dyn_cast<FunctionDecl>(reference->getDecl());
  if (!function || function->isDependentContext())
    return true;
  // A called function is below the callee of its call.
  const auto call = std::find_if(path.rbegin(), path.rend(), [](const Stmt *s) {
    return !isa<DeclRefExpr, ImplicitCastExpr, ParenExpr>(s);
  });
  const auto *called = call == path.rend() ? nullptr : dyn_cast<CallExpr>(*call);
  if (!called || call == path.rbegin() || called->getCallee() != *std::prev(call))
    atAddress(*function);
  return true;
}

bool CallWalk::VisitCXXConstructExpr(CXXConstructExpr *construct) {
  atCall({construct, construct->getConstructor(), construct->getLocation(),
          guardVariable() != nullptr});
  return true;
}

bool CallWalk::traverseFunction(const FunctionDecl &function) {
  const bool isWrapper = function.getIdentifier() && function.getName().starts_with("__gthr");
  if (!function.doesThisDeclarationHaveABody() || function.isDependentContext() || isWrapper ||
      !walked.insert(&function).second)
    return true;
  const FunctionDecl *outer = current;
  current = &function;
  const bool goOn = Base::TraverseDecl(const_cast<FunctionDecl *>(&function));
  current = outer;
  return goOn;
}

const VarDecl *CallWalk::guardVariable() const {
  for (const Stmt *statement : llvm::drop_begin(llvm::reverse(path))) {
    if (const auto *declaration = dyn_cast<DeclStmt>(statement))
      return declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                                         : nullptr;
    if (!isa<CXXConstructExpr, ExprWithCleanups, CXXBindTemporaryExpr, MaterializeTemporaryExpr,
             CXXFunctionalCastExpr, InitListExpr, ImplicitCastExpr>(statement))
      return nullptr;
  }
  return nullptr;
}

bool CallWalk::isAllocated() const {
  return path.size() > 1 && isa<CXXNewExpr>(path[path.size() - 2]);
}

SourceLocation CallWalk::defaultArgumentUse() const {
  const auto argument = std::find_if(path.rbegin(), path.rend(),
                                     [](const Stmt *s) { return isa<CXXDefaultArgExpr>(s); });
  if (argument == path.rend() || std::next(argument) == path.rend())
    return {};
  const Stmt *call = *std::next(argument);
  if (const auto *construct = dyn_cast<CXXConstructExpr>(call))
    return construct->getLocation();
  return cast<Expr>(call)->getExprLoc();
}

} // namespace qdadvise
