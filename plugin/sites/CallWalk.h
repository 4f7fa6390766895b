// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks all calls of a translation unit that run where they stand, in the order of the source: in
// functions, in instances of templates, in initialisers. The standard library's own are left out.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace qdadvise {

/// A call or construction as the user wrote it.
struct Call {
  const clang::Expr *expression;
  const clang::FunctionDecl *callee;
  clang::SourceLocation debugLocation;
  bool isGuardVariable = false;
};

class CallWalk : public clang::RecursiveASTVisitor<CallWalk> {
  using Base = clang::RecursiveASTVisitor<CallWalk>;

public:
  virtual ~CallWalk() = default;

  /// Walks everything below a declaration; a function only where it was not walked before.
  void walk(const clang::Decl &decl) { TraverseDecl(const_cast<clang::Decl *>(&decl)); }
  void forgetWalked() { walked.clear(); }

  // RecursiveASTVisitor calls these.
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitImplicitCode() const { return true; }
  bool TraverseDecl(clang::Decl *decl);
  bool TraverseVarDecl(clang::VarDecl *variable);
  bool TraverseStmt(clang::Stmt *statement);
  bool VisitCallExpr(clang::CallExpr *call);
  bool VisitDeclRefExpr(clang::DeclRefExpr *reference);
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construct);

  // No call in these runs where it stands.
  bool TraverseTypeLoc(clang::TypeLoc, bool = true) { return true; }
  bool TraverseType(clang::QualType, bool = true) { return true; }
  bool TraverseNestedNameSpecifierLoc(clang::NestedNameSpecifierLoc) { return true; }
  bool TraverseParmVarDecl(clang::ParmVarDecl *) { return true; }
  bool TraverseFieldDecl(clang::FieldDecl *) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseCXXNoexceptExpr(clang::CXXNoexceptExpr *) { return true; }
  bool TraverseRequiresExpr(clang::RequiresExpr *) { return true; }

protected:
  virtual void atCall(const Call &call) = 0;
  /// A function that is named other than to be called there: its address goes somewhere.
  virtual void atAddress(const clang::FunctionDecl &function) = 0;
  virtual void atClass(const clang::CXXRecordDecl &definition) = 0;
  /// Namespace std, or the GNU library's own, one of its parts: it is not walked.
  virtual void atStandardNamespace(const clang::NamespaceDecl &space) = 0;

  /// The variable that the construction at the end of the path initialises, or null.
  const clang::VarDecl *guardVariable() const;
  /// Is the object at the end of the path made by `new`?
  bool isAllocated() const;
  /// The debug location of a default argument is the call that it is for.
  clang::SourceLocation defaultArgumentUse() const;

  const clang::FunctionDecl *current = nullptr;
  const clang::VarDecl *initialised = nullptr;
  std::vector<const clang::Stmt *> path; ///< from the outermost statement to this one

private:
  bool traverseFunction(const clang::FunctionDecl &function);

  llvm::DenseSet<const clang::FunctionDecl *> walked;
};

} // namespace qdadvise
