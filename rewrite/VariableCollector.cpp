// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/VariableCollector.h"

#include "plugin/locksets/LockNames.h"
#include "rewrite/UseCollector.h"
#include "rewrite/sections/UnawaitedSection.h"
#include "rewrite/uses/LockTypes.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {

bool VariableCollector::isOfTemplate(const Decl &decl) {
  return decl.isTemplated() || UseCollector::isOfTemplate(decl);
}

bool VariableCollector::VisitDeclRefExpr(DeclRefExpr *name) {
  add(*name, *name->getDecl());
  return true;
}

bool VariableCollector::VisitMemberExpr(MemberExpr *name) {
  add(*name, *name->getMemberDecl());
  return true;
}

void VariableCollector::add(const Expr &name, const ValueDecl &named) {
  const auto *variable = dyn_cast<VarDecl>(&named);
  if (!variable || !isLasting(*variable) || sources.isInSystemHeader(variable->getLocation()))
    return;
  LastingVariable &known = program.lasting[keyOf(*variable)];
  if (known.name.empty()) {
    known.name = declarationName(*variable);
    known.place = placeOfUse(variable->getCanonicalDecl()->getLocation(), context);
  }
  known.uses.insert({placeOfUse(name.getExprLoc(), context), placeOfBody(name, context),
                     inTemplate || !isReadOrWritten(name, context)});
}

} // namespace qdadvise
