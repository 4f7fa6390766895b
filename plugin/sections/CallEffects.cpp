// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sections/CallEffects.h"

#include "plugin/ast/CallArguments.h"
#include "plugin/ast/DeclNames.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;

namespace qdadvise {
namespace {

/// A walk over a call graph stops after so many functions and calls the rest unknown.
constexpr std::size_t mostFunctions = 256;

bool catchesAll(const CXXTryStmt &statement) {
  for (unsigned i = 0; i < statement.getNumHandlers(); ++i)
    if (!statement.getHandler(i)->getExceptionDecl())
      return true;
  return false;
}

} // namespace

void CallEffects::scan(Body &body, const Stmt *node, bool passesThrows) {
  if (!node)
    return;
  if (const auto *statement = dyn_cast<CXXTryStmt>(node)) {
    scan(body, statement->getTryBlock(), passesThrows && !catchesAll(*statement));
    for (unsigned i = 0; i < statement->getNumHandlers(); ++i)
      scan(body, statement->getHandler(i), passesThrows);
    return;
  }
  const FunctionDecl *callee = nullptr;
  if (const auto *call = dyn_cast<CallExpr>(node))
    callee = calledFunction(*call);
  else if (const auto *construct = dyn_cast<CXXConstructExpr>(node))
    callee = construct->getConstructor();
  if (const LockOperation *operation = callee ? nodes.operationOf(*callee) : nullptr) {
    body.acquires |= operation->role == SiteRole::acquire ||
                     (operation->role == SiteRole::wrapper && !operation->waits);
    body.releases |= operation->role == SiteRole::release;
  }
  const NodeEffects effects = nodes.at(*node);
  body.unseen.add(effects.unseen);
  body.inner.add(effects.inner);
  body.facts |= passesThrows ? effects.facts : effects.facts & ~SectionFactBits(factThrows);
  for (const FunctionDecl *function : effects.calls)
    body.calls.push_back({function, passesThrows && nodes.mayThrow(*function)});
  forEachRunChild(*node, [&](const Stmt &child) { scan(body, &child, passesThrows); });
}

const CallEffects::Body &CallEffects::bodyOf(const FunctionDecl &function) {
  Body *&entry = bodies[&function];
  if (entry)
    return *entry;
  owned.push_back(std::make_unique<Body>());
  Body &body = *owned.back();
  entry = &body;
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&function))
    for (const CXXCtorInitializer *initialiser : constructor->inits())
      scan(body, initialiser->getInit(), true);
  if (isa<CXXDestructorDecl>(function)) {
    NodeEffects effects;
    const CXXRecordDecl &record = *cast<CXXMethodDecl>(function).getParent();
    for (const FieldDecl *field : record.fields())
      nodes.addDestructor(effects, field->getType());
    for (const CXXBaseSpecifier &base : record.bases())
      nodes.addDestructor(effects, base.getType());
    body.facts |= effects.facts;
    body.unseen.add(effects.unseen);
    for (const FunctionDecl *destroyed : effects.calls)
      body.calls.push_back({destroyed, nodes.mayThrow(*destroyed)});
  }
  scan(body, function.getBody(), true);
  return body;
}

const CallEffects::Reach &CallEffects::of(const FunctionDecl &function) {
  const auto [entry, isNewHere] = known.try_emplace(&function);
  if (!isNewHere)
    return *entry->second;
  entry->second = std::make_unique<Reach>();
  Reach &all = *entry->second;
  // Reached: with exceptions that come through (true), or with those kept away.
  llvm::DenseMap<const FunctionDecl *, bool> reached = {{&function, nodes.mayThrow(function)}};
  llvm::SmallVector<const FunctionDecl *, 16> open = {&function};
  while (!open.empty()) {
    const FunctionDecl &next = *open.pop_back_val();
    const bool passes = reached[&next];
    const Body &body = bodyOf(next);
    all.facts |= passes ? body.facts : body.facts & ~SectionFactBits(factThrows);
    all.unseen.add(body.unseen);
    all.inner.add(body.inner);
    all.inner.givesOthers |= body.releases && !body.acquires;
    all.releases |= body.releases;
    for (const Call &call : body.calls) {
      const bool throws = passes && call.passesThrows;
      const auto [at, isNew] = reached.try_emplace(call.callee, throws);
      if (!isNew && (at->second || !throws))
        continue;
      at->second = throws;
      if (reached.size() <= mostFunctions) {
        open.push_back(call.callee);
        continue;
      }
      all.facts |= factCallsUnknown | (throws ? factThrows : 0);
      all.unseen.isMore = true;
    }
  }
  return all;
}

bool CallEffects::releases(const FunctionDecl &function) {
  const FunctionDecl *definition = definitionOf(function);
  if (!definition || isInStandardLibrary(function))
    return false;
  const Body &body = bodyOf(*definition);
  bool released = body.releases, acquired = body.acquires;
  for (const Call &call : llvm::SmallVector<Call, 4>(body.calls)) {
    const Body &inner = bodyOf(*call.callee);
    released |= inner.releases;
    acquired |= inner.acquires;
  }
  return released && !acquired;
}

bool CallEffects::isRelease(const CallExpr &call) const {
  const FunctionDecl *callee = calledFunction(call);
  const LockOperation *operation = callee ? nodes.operationOf(*callee) : nullptr;
  return operation && operation->role == SiteRole::release;
}

SectionFactBits CallEffects::allOf(const NodeEffects &effects, UnseenCalls &unseen,
                                   InnerLocks &inner) {
  SectionFactBits facts = effects.facts;
  unseen.add(effects.unseen);
  inner.add(effects.inner);
  for (const FunctionDecl *function : effects.calls) {
    const Reach &reach = of(*function);
    facts |= reach.facts;
    unseen.add(reach.unseen);
    inner.add(reach.inner);
  }
  return facts;
}

} // namespace qdadvise
