// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the locks of a translation unit and everything that is done with them.
#pragma once

#include "plugin/api/LockApi.h"
#include "rewrite/UnitCollector.h"
#include "rewrite/uses/Locations.h"
#include "rewrite/uses/ProgramUses.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace qdadvise {

class UseCollector : public UnitCollector<UseCollector> {
  using Base = UnitCollector<UseCollector>;

public:
  /// All must outlive it.
  UseCollector(clang::ASTContext &astContext, const LockApi &lockApi, ProgramUses &lockProgram)
      : Base(astContext, lockApi, lockProgram) {}

  void run();

  /// Is it an instance that the compiler made of a template? The pattern is what is written.
  static bool isOfTemplate(const clang::Decl &decl);

  // RecursiveASTVisitor calls these.
  bool TraverseAttr(clang::Attr *attribute);
  bool VisitDeclaratorDecl(clang::DeclaratorDecl *declarator);
  bool VisitCXXConstructorDecl(clang::CXXConstructorDecl *constructor);
  bool VisitInitListExpr(clang::InitListExpr *list);
  bool VisitDeclRefExpr(clang::DeclRefExpr *name);
  bool VisitMemberExpr(clang::MemberExpr *name);
  bool VisitOffsetOfExpr(clang::OffsetOfExpr *offset);
  bool VisitCXXDependentScopeMemberExpr(clang::CXXDependentScopeMemberExpr *name);
  bool VisitCallExpr(clang::CallExpr *call);
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *cast);
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construct);

private:
  using Locks = std::set<std::pair<std::string, const clang::FieldDecl *>>;

  std::string addDeclaration(const clang::DeclaratorDecl &declarator, const LockType &type);
  LockUse declarationUse(const clang::DeclaratorDecl &declarator) const;
  void addInitialiser(const std::string &key, const clang::Expr &initialiser, bool isAlone);
  LockUse initialiserUse(const MacroUse &macro, clang::SourceLocation in, bool isAlone) const;
  void addName(const clang::Expr &name, const clang::ValueDecl &named);
  void addResolved(clang::SourceLocation name);
  void addUse(const std::string &key, LockUse use);
  void addCopy(const clang::Expr &at, const clang::RecordDecl *record, const char *how);
  const Locks &locksIn(const clang::RecordDecl &record);

  bool inAttribute = false; ///< of a declaration: GUARDED_BY
  std::map<std::string, std::set<LockUse>> inInstances;
  llvm::DenseMap<const clang::VarDecl *, std::set<std::string>> locksOfGuards;
  std::vector<std::pair<const clang::VarDecl *, LockUse>> guardUses;
  llvm::DenseMap<const clang::RecordDecl *, Locks> contained;
};

} // namespace qdadvise
