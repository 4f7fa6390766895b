// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/ExternalFunctions.h"

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace qdadvise {
namespace {

class Finder : public RecursiveASTVisitor<Finder> {
  using Base = RecursiveASTVisitor<Finder>;

public:
  Finder(ASTContext &astContext, llvm::function_ref<void(const FunctionDecl &)> toCall)
      : context(astContext), callback(toCall) {}

  bool TraverseDecl(Decl *decl) {
    const SourceManager &sources = context.getSourceManager();
    if (!decl || (decl->getLocation().isValid() && sources.isInSystemHeader(decl->getLocation())))
      return true;
    return Base::TraverseDecl(decl);
  }
  // Functions are not in statements.
  bool TraverseStmt(Stmt *) { return true; }

  bool VisitFunctionDecl(FunctionDecl *function) {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext() &&
        !function->hasAttr<WeakAttr>() && !function->hasAttr<IFuncAttr>() &&
        context.GetGVALinkageForFunction(function) == GVA_StrongExternal)
      callback(*function);
    return true;
  }

private:
  ASTContext &context;
  llvm::function_ref<void(const FunctionDecl &)> callback;
};

} // namespace

void forEachExternalFunction(ASTContext &context,
                             llvm::function_ref<void(const FunctionDecl &)> callback) {
  Finder(context, callback).TraverseDecl(context.getTranslationUnitDecl());
}

} // namespace qdadvise
