// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/PointerAliases.h"

#include "plugin/ast/Expressions.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace qdadvise {

void PointerAliases::find(const CFG &graph) {
  for (const CFGBlock *block : graph)
    for (const CFGElement &element : *block) {
      if (const auto initialiser = element.getAs<CFGInitializer>()) {
        const CXXCtorInitializer *made = initialiser->getInitializer();
        if (made->isMemberInitializer())
          add(*made->getMember(), *made->getInit());
        continue;
      }
      const auto plain = element.getAs<CFGStmt>();
      if (!plain)
        continue;
      if (const auto *declaration = dyn_cast<DeclStmt>(plain->getStmt())) {
        for (const Decl *declared : declaration->decls())
          if (const auto *variable = dyn_cast<VarDecl>(declared);
              variable && variable->hasLocalStorage() && variable->getInit())
            add(*variable, *variable->getInit());
      } else if (const auto *assignment = dyn_cast<BinaryOperator>(plain->getStmt());
                 assignment && assignment->getOpcode() == BO_Assign) {
        add(*assignment->getLHS(), *assignment->getRHS());
      }
    }
}

void PointerAliases::add(const Expr &target, const Expr &value) {
  const Expr *named = target.IgnoreParenImpCasts();
  if (const auto *reference = dyn_cast<DeclRefExpr>(named)) {
    const auto *variable = dyn_cast<VarDecl>(reference->getDecl());
    if (variable && variable->hasLocalStorage())
      add(*variable, value);
  } else if (const auto *member = dyn_cast<MemberExpr>(named);
             member && isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) {
    add(*member->getMemberDecl(), value);
  }
}

void PointerAliases::add(const ValueDecl &target, const Expr &value) {
  const QualType type = target.getType();
  if ((!type->isPointerType() && !type->isReferenceType()) || constantOf(value, context) == 0)
    return;
  const LockPath path =
      type->isPointerType() ? pointeePath(value, context) : lockPath(value, context);
  const auto [known, isNew] = aliases.try_emplace(cast<ValueDecl>(target.getCanonicalDecl()), path);
  if (!isNew && known->second != path)
    known->second.reset();
}

LockPath PointerAliases::resolve(LockPath path) const {
  using Kind = LockPath::Step::Kind;
  constexpr unsigned longest = 4; // aliases in a chain
  for (unsigned i = 0; i < longest; ++i) {
    const ValueDecl *alias = nullptr;
    std::size_t steps = 0;
    if (path.base == LockPath::Base::variable) {
      alias = path.variable;
    } else if (path.base == LockPath::Base::object && !path.steps.empty() &&
               path.steps[0].kind == Kind::field) {
      alias = path.steps[0].field;
      steps = 1;
    }
    const auto known = alias ? aliases.find(alias) : aliases.end();
    if (known == aliases.end() || !known->second || known->second->base == LockPath::Base::unknown)
      return path;
    if (alias->getType()->isPointerType()) {
      if (path.steps.size() <= steps || path.steps[steps].kind != Kind::pointee)
        return path;
      ++steps;
    }
    LockPath through = *known->second;
    through.steps.append(path.steps.begin() + static_cast<std::ptrdiff_t>(steps), path.steps.end());
    if (through == path)
      return path;
    path = std::move(through);
  }
  return path;
}

} // namespace qdadvise
