// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/sections/SectionNames.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace qdadvise {
namespace {

class NameWalk : public RecursiveASTVisitor<NameWalk> {
  using Base = RecursiveASTVisitor<NameWalk>;

public:
  explicit NameWalk(const std::set<const Stmt *> &without) : skipped(without) {}

  SectionNames found;

  bool TraverseStmt(Stmt *statement) {
    return skipped.contains(statement) || Base::TraverseStmt(statement);
  }
  bool VisitVarDecl(VarDecl *variable) {
    found.declared.insert(variable);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) {
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      found.uses[variable].push_back(name);
    if (const auto *constant = dyn_cast<EnumConstantDecl>(name->getDecl());
        constant && constant->getDeclContext()->getParent()->isFunctionOrMethod())
      found.localConstant = name;
    return true;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) {
    if (cast->getCastKind() == CK_LValueToRValue)
      if (const VarDecl *variable = variableOf(*cast->getSubExpr()))
        ++found.reads[variable];
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *operation) {
    if (operation->getOpcode() == UO_AddrOf)
      if (const VarDecl *variable = variableOf(*operation->getSubExpr()))
        found.addressed.insert(variable);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) {
    found.calls.push_back(call);
    return true;
  }

private:
  static const VarDecl *variableOf(const Expr &expression) {
    const auto *name = dyn_cast<DeclRefExpr>(expression.IgnoreParens());
    return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  }

  const std::set<const Stmt *> &skipped;
};

} // namespace

bool SectionNames::isOnlyRead(const VarDecl *variable) const {
  const auto named = uses.find(variable);
  const auto read = reads.find(variable);
  return named == uses.end() || (read != reads.end() && read->second == named->second.size());
}

SectionNames namesIn(llvm::ArrayRef<const Stmt *> code, const std::set<const Stmt *> &without) {
  NameWalk walk(without);
  for (const Stmt *one : code)
    walk.TraverseStmt(const_cast<Stmt *>(one));
  return std::move(walk.found);
}

} // namespace qdadvise
