// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rewrite/IntegerCollector.h"

#include "plugin/locksets/LockNames.h"
#include "rewrite/UseCollector.h"
#include "rewrite/sections/SingleAccess.h"
#include "rewrite/uses/LockTypes.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/SourceManager.h"

#include <utility>

using namespace clang;

namespace qdadvise {

void IntegerCollector::run() {
  TraverseDecl(context.getTranslationUnitDecl());
  gateTogether([&](const std::string &key, const LockUse &use) {
    add(key, {.kind = IntegerUse::Kind::gated,
              .text = use.text,
              .value = "",
              .gate = use.gate,
              .detail = use.detail});
  });
}

bool IntegerCollector::isOfTemplate(const Decl &decl) {
  return decl.isTemplated() || UseCollector::isOfTemplate(decl);
}

bool IntegerCollector::isShared(const ValueDecl &named) const {
  const auto *variable = dyn_cast<VarDecl>(&named);
  const bool hasPlace = isa<FieldDecl>(named) || (variable && variable->hasGlobalStorage() &&
                                                  variable->getTLSKind() == VarDecl::TLS_None);
  return hasPlace && isAtomicInteger(named.getType(), context) &&
         !sources.isInSystemHeader(named.getLocation());
}

void IntegerCollector::add(const std::string &key, IntegerUse use) {
  if (inTemplate)
    use = {.kind = IntegerUse::Kind::gated,
           .text = use.text,
           .value = "",
           .gate = Gate::templateCode,
           .detail = ""};
  program.integers[key].uses.insert(std::move(use));
}

void IntegerCollector::addGated(const std::string &key, SourceLocation at, Gate gate,
                                std::string detail) {
  add(key, {.kind = IntegerUse::Kind::gated,
            .text = placeOfUse(at, context),
            .value = "",
            .gate = gate,
            .detail = std::move(detail)});
}

bool IntegerCollector::VisitDeclaratorDecl(DeclaratorDecl *declarator) {
  if (!isa<VarDecl, FieldDecl>(declarator) || isa<ParmVarDecl>(declarator))
    return true;
  noteType(*declarator);
  if (!isShared(*declarator))
    return true;
  const std::string key = keyOf(*declarator);
  noteType(*declarator, key);
  SharedInteger &integer = program.integers[key];
  if (integer.name.empty()) {
    integer.name = declarationName(*declarator);
    integer.place = placeOfUse(declarator->getLocation(), context);
  }
  (context.getLangOpts().CPlusPlus ? integer.inCxx : integer.inC) = true;
  if (const auto *field = dyn_cast<FieldDecl>(declarator))
    integer.record = placeOf(*field->getParent());
  addDeclaration(key, *declarator);
  return true;
}

void IntegerCollector::addDeclaration(const std::string &key, const DeclaratorDecl &declarator) {
  const SourceLocation at = declarator.getLocation();
  if (const auto *field = dyn_cast<FieldDecl>(&declarator)) {
    const RecordDecl &record = *field->getParent();
    if (record.isUnion() || field->isBitField())
      addGated(key, at, Gate::declaration, "it shares its memory");
    if (record.hasAttr<PackedAttr>() || record.hasAttr<MaxFieldAlignmentAttr>() ||
        field->hasAttr<PackedAttr>())
      addGated(key, at, Gate::declaration, "it is packed");
  }
  const TypeSourceInfo *written = declarator.getTypeSourceInfo();
  const TypeLoc type = written ? written->getTypeLoc().getUnqualifiedLoc() : TypeLoc();
  if (!written || type.getAs<AutoTypeLoc>() || type.getAs<DecltypeTypeLoc>() ||
      type.getAs<TypeOfTypeLoc>() || type.getAs<TypeOfExprTypeLoc>() ||
      type.getAs<ParenTypeLoc>()) {
    addGated(key, at, Gate::declaration, "its type is not written");
    return;
  }
  const auto text = textOf(type.getSourceRange(), context);
  if (!text) {
    addGated(key, at, Gate::macro, "its declaration");
    return;
  }
  add(key, {.kind = IntegerUse::Kind::declaration,
            .text = *text,
            .value = spelled(*text, at, context).str(),
            .gate = Gate::integerUse,
            .detail = ""});
  if (const auto *variable = dyn_cast<VarDecl>(&declarator);
      variable && variable->hasInit() && variable->getInitializingDeclaration() == variable)
    addInitialiser(key, *variable);
}

/// C++ before 17 copies an atomic where it is initialised by `=`.
void IntegerCollector::addInitialiser(const std::string &key, const VarDecl &variable) {
  const LangOptions &language = context.getLangOpts();
  if (!language.CPlusPlus || language.CPlusPlus17 || variable.getInitStyle() != VarDecl::CInit)
    return;
  const auto name = textOf({variable.getLocation(), variable.getLocation()}, context);
  const auto value = textOf(variable.getInit()->getSourceRange(), context);
  if (!name || !value) {
    addGated(key, variable.getLocation(), Gate::macro, "its initialiser");
    return;
  }
  IntegerUse use;
  use.kind = IntegerUse::Kind::initialiser;
  use.text = *name;
  use.text.offset = name->end();
  use.text.length = value->end() - name->end();
  use.value = spelled(*value, variable.getLocation(), context).str();
  add(key, std::move(use));
}

bool IntegerCollector::VisitDeclRefExpr(DeclRefExpr *name) {
  addName(*name, *name->getDecl());
  return true;
}

bool IntegerCollector::VisitMemberExpr(MemberExpr *name) {
  addName(*name, *name->getMemberDecl());
  return true;
}

void IntegerCollector::addName(const Expr &name, const ValueDecl &named) {
  if (!isShared(named))
    return;
  const std::string key = keyOf(named);
  (context.getLangOpts().CPlusPlus ? program.integers[key].inCxx : program.integers[key].inC) =
      true;
  const IntegerAccess access = integerAccess(name, context);
  if (access == IntegerAccess::other) {
    addGated(key, name.getExprLoc(), Gate::integerUse, "");
    return;
  }
  if (inTemplate) {
    addGated(key, name.getExprLoc(), Gate::templateCode, "");
    return;
  }
  if (access != IntegerAccess::read || !isArgument(name))
    return;
  const auto text = textOf(name.getSourceRange(), context);
  if (!text) {
    addGated(key, name.getExprLoc(), Gate::macro, "");
    return;
  }
  IntegerUse use;
  use.kind = IntegerUse::Kind::argument;
  use.text = *text;
  add(key, std::move(use));
}

/// Does somebody take the value who may take another type as well: a template, an overloaded
/// function, `...`, a variable whose type is deduced?
bool IntegerCollector::isArgument(const Expr &name) const {
  if (!context.getLangOpts().CPlusPlus)
    return false;
  DynTypedNode node = DynTypedNode::create(name);
  for (;;) {
    const auto parents = context.getParents(node);
    if (parents.size() != 1)
      return true;
    node = parents[0];
    if (const auto *variable = node.get<VarDecl>())
      return variable->getType()->getContainedDeducedType() != nullptr;
    const auto *expression = node.get<Expr>();
    if (!expression)
      return false;
    if (isa<CallExpr, CXXConstructExpr, LambdaExpr, CXXThrowExpr>(expression))
      return true;
    if (!isa<ImplicitCastExpr, ParenExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(
            expression))
      return false;
  }
}

} // namespace qdadvise
