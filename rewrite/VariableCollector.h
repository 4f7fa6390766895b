// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects where a translation unit names its variables of static storage.
#pragma once

#include "plugin/api/LockApi.h"
#include "rewrite/UnitCollector.h"

namespace qdadvise {

class VariableCollector : public UnitCollector<VariableCollector> {
  using Base = UnitCollector<VariableCollector>;

public:
  /// All must outlive it.
  VariableCollector(clang::ASTContext &astContext, const LockApi &lockApi, ProgramUses &lockProgram)
      : Base(astContext, lockApi, lockProgram) {}

  void run() { TraverseDecl(context.getTranslationUnitDecl()); }

  static bool isOfTemplate(const clang::Decl &decl);

  // RecursiveASTVisitor calls these.
  bool VisitDeclRefExpr(clang::DeclRefExpr *name);
  bool VisitMemberExpr(clang::MemberExpr *name);

private:
  void add(const clang::Expr &name, const clang::ValueDecl &named);
};

} // namespace qdadvise
