// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/SiteSections.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/CallArguments.h"
#include "plugin/locksets/LockNames.h"
#include "plugin/locksets/WrapperOperations.h"
#include "plugin/sections/SectionExtent.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace qdadvise {
namespace {

/// The local guard that a call is made on or given, whose scope ends the section at last.
const VarDecl *localGuard(const Call &call) {
  for (unsigned i = 0; const Expr *argument = argumentOf(*call.expression, i); ++i) {
    const auto *named = dyn_cast<DeclRefExpr>(argument->IgnoreParenImpCasts());
    const auto *variable = named ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
    const CXXRecordDecl *record = variable ? variable->getType()->getAsCXXRecordDecl() : nullptr;
    if (record && isStandardGuard(*record) && variable->hasLocalStorage() &&
        !isa<ParmVarDecl>(variable))
      return variable;
  }
  return nullptr;
}

UnseenCode namesOf(const UnseenCalls &unseen, Mangler &mangler) {
  UnseenCode code;
  code.isMore = unseen.isMore;
  for (const FunctionDecl *function : unseen.functions)
    code.functions.emplace(mangler.names(*function).front(), functionName(*function));
  return code;
}

} // namespace

SiteSections::SiteSections(ASTContext &astContext, Callees &knownCallees, Wrappers &knownWrappers,
                           const LockDescriber &lockDescriber)
    : context(astContext), callees(knownCallees), wrappers(knownWrappers), locks(lockDescriber),
      effects(astContext,
              [this](const FunctionDecl &function) { return callees.operationOf(function); }) {}

SourceRange SiteSections::extent(const Call &call, llvm::ArrayRef<const Stmt *> path,
                                 llvm::StringRef expression) {
  SectionEnd end = SectionEnd::unlock;
  if (call.isGuardVariable)
    end = SectionEnd::scope;
  else if (isa<CXXConstructExpr>(call.expression))
    end = SectionEnd::statement;
  return criticalSection(path, end,
                         [&](const Stmt &statement) { return isReleaseOf(statement, expression); });
}

void SiteSections::add(std::size_t site, const Call &call, const Callee &callee,
                       const FunctionDecl *function, const VarDecl *guard, bool isAllocated) {
  SectionStart start;
  start.body = function ? function->getBody() : nullptr;
  start.acquire = call.expression;
  start.guard = guard ? guard : localGuard(call);
  start.isTemporary = isa<CXXConstructExpr>(call.expression) && !start.guard && !isAllocated;
  start.isWrapper = callee.operation.role == SiteRole::wrapper;
  start.success = callee.operation.success;
  sections.push_back({site, start});
}

void SiteSections::decideFacts(LockTable &table, Mangler &mangler) {
  for (const Section &section : sections) {
    LockSite &site = table.sites[section.site];
    SectionFacts found =
        sectionFacts(section.start, effects, context, [&](const CallExpr &statement) {
          return isReleaseOf(statement, site.expression);
        });
    site.facts = found.bits;
    site.unseen = namesOf(found.unseen, mangler);
    site.inner = innerOf(found.inner, site.inFunction, table);
    site.inner.isOpen |= found.staysHeld || !(found.bits & factsKnown);
    site.shownFacts = std::move(found.shown);
  }
}

InnerSites SiteSections::innerOf(const InnerLocks &inner, const std::string &inFunction,
                                 const LockTable &table) const {
  InnerSites result;
  result.isOpen = inner.givesOthers;
  llvm::StringSet<> taken; // in the function itself, as written
  for (const Stmt *node : inner.takes) {
    const auto found = sitesOf.find(node);
    result.isOpen |= found == sitesOf.end();
    if (found == sitesOf.end())
      continue;
    for (const std::size_t site : found->second) {
      result.takes.push_back(site);
      if (table.sites[site].inFunction == inFunction)
        taken.insert(table.sites[site].expression);
    }
  }
  for (const Stmt *node : inner.gives) {
    const auto found = sitesOf.find(node);
    result.isOpen |= found == sitesOf.end() || llvm::any_of(found->second, [&](std::size_t site) {
                       return !taken.contains(table.sites[site].expression);
                     });
  }
  return result;
}

FunctionFacts SiteSections::factsOf(const FunctionDecl &function, const LockTable &table,
                                    Mangler &mangler) {
  const CallEffects::Reach &reach = effects.of(function);
  // A lock that it gives up is the caller's own, or was taken in it.
  return {reach.facts | (reach.releases ? factTakesLock : SectionFactBits()),
          namesOf(reach.unseen, mangler), innerOf(reach.inner, "", table)};
}

/// A statement that is a release of the lock as written.
bool SiteSections::isReleaseOf(const Stmt &statement, llvm::StringRef expression) {
  const auto *call = dyn_cast<CallExpr>(&statement);
  const FunctionDecl *function = call ? calledFunction(*call) : nullptr;
  if (!function)
    return false;
  if (const Callee *callee = callees.find(*function))
    return callee->operation.role == SiteRole::release &&
           locks.expressionOf({call, function, {}}, *callee, 0) == expression;
  if (const LockEffect *effect = wrappers.effectOf(*function))
    return llvm::any_of(effect->releases, [&](const LockPath &released) {
      return pathText(*call, *function, released.asCallersKnowIt(), context) == expression;
    });
  const Expr *given = argumentOf(*call, 0);
  return given && wrappers.releasesByName(*function) &&
         lockText(*given, isThroughArrow(*call), context) == expression;
}

} // namespace qdadvise
