// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/Barriers.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {
namespace {

/// The condition variable of a wake-up or a wait: the object, or the first argument in C.
const Expr *conditionOf(const Expr &call) {
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(&call))
    return member->getImplicitObjectArgument();
  const auto *plain = dyn_cast<CallExpr>(&call);
  return plain && plain->getNumArgs() > 0 ? plain->getArg(0) : nullptr;
}

/// Does control never go on behind it?
bool endsWithReturn(const Stmt *statement) {
  if (const auto *block = dyn_cast_or_null<CompoundStmt>(statement))
    return !block->body_empty() && endsWithReturn(block->body_back());
  return isa_and_nonnull<ReturnStmt>(statement);
}

bool wakesAll(const FunctionDecl &function) {
  if (!function.getIdentifier())
    return false;
  const llvm::StringRef name = function.getName();
  return name == "notify_all" || name == "pthread_cond_broadcast" || name == "cnd_broadcast";
}

} // namespace

void Barriers::note(std::vector<Use> &uses, const Call &call, llvm::ArrayRef<const Stmt *> path,
                    const FunctionDecl *function, std::size_t site) const {
  const Expr *condition = conditionOf(*call.expression);
  if (!function || !condition)
    return;
  Use use{function, {}, {}, call.expression->getBeginLoc(), site};
  condition->IgnoreParenImpCasts()->Profile(use.condition, context, true);
  for (std::size_t i = 0; i + 1 < path.size(); ++i)
    if (const auto *branch = dyn_cast<IfStmt>(path[i]))
      if (path[i + 1] == branch->getThen() || path[i + 1] == branch->getElse())
        use.branches.push_back({branch, path[i + 1] == branch->getElse()});
  uses.push_back(std::move(use));
}

void Barriers::noteWakeUp(const Call &call, llvm::ArrayRef<const Stmt *> path,
                          const FunctionDecl *function) {
  if (wakesAll(*call.callee))
    note(wakeUps, call, path, function, 0);
}

void Barriers::noteWait(std::size_t site, const Call &call, llvm::ArrayRef<const Stmt *> path,
                        const FunctionDecl *function) {
  note(allWaits, call, path, function, site);
}

bool Barriers::excludes(const Use &wakeUp, const Use &wait) const {
  if (wakeUp.function != wait.function || wakeUp.condition != wait.condition)
    return false;
  return llvm::any_of(wakeUp.branches, [&](const Branch &one) {
    const auto *other = llvm::find_if(
        wait.branches, [&](const Branch &of) { return of.statement == one.statement; });
    if (other != wait.branches.end())
      return other->isElse != one.isElse;
    return !one.isElse && endsWithReturn(one.statement->getThen()) &&
           context.getSourceManager().isBeforeInTranslationUnit(wakeUp.location, wait.location);
  });
}

std::vector<std::size_t> Barriers::waits() const {
  std::vector<std::size_t> found;
  for (const Use &wait : allWaits)
    if (llvm::any_of(wakeUps, [&](const Use &wakeUp) { return excludes(wakeUp, wait); }))
      found.push_back(wait.site);
  return found;
}

} // namespace qdadvise
