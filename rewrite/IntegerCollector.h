// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the integers of a translation unit that threads may share, and what is done with them
// that matters where one becomes an atomic.
#pragma once

#include "plugin/api/LockApi.h"
#include "rewrite/UnitCollector.h"
#include "rewrite/uses/SharedInteger.h"

#include <string>

namespace qdadvise {

class IntegerCollector : public UnitCollector<IntegerCollector> {
  using Base = UnitCollector<IntegerCollector>;

public:
  /// All must outlive it.
  IntegerCollector(clang::ASTContext &astContext, const LockApi &lockApi, ProgramUses &lockProgram)
      : Base(astContext, lockApi, lockProgram) {}

  void run();

  static bool isOfTemplate(const clang::Decl &decl);

  // RecursiveASTVisitor calls these.
  bool VisitDeclaratorDecl(clang::DeclaratorDecl *declarator);
  bool VisitDeclRefExpr(clang::DeclRefExpr *name);
  bool VisitMemberExpr(clang::MemberExpr *name);

private:
  bool isShared(const clang::ValueDecl &named) const;
  void add(const std::string &key, IntegerUse use);
  void addGated(const std::string &key, clang::SourceLocation at, Gate gate, std::string detail);
  void addDeclaration(const std::string &key, const clang::DeclaratorDecl &declarator);
  void addInitialiser(const std::string &key, const clang::VarDecl &variable);
  void addName(const clang::Expr &name, const clang::ValueDecl &named);
  bool isArgument(const clang::Expr &name) const;
};

} // namespace qdadvise
