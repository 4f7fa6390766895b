// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/sites/Barriers.h"

#include "plugin/ast/Expressions.h"

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

/// Is it, or is it in, the first argument or the object that the function is called for?
bool isOfCaller(const Expr *condition) {
  condition = condition->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<MemberExpr>(condition))
    return isOfCaller(member->getBase());
  if (const auto *unary = dyn_cast<UnaryOperator>(condition))
    return isOfCaller(unary->getSubExpr());
  if (const auto *name = dyn_cast<DeclRefExpr>(condition)) {
    const auto *parameter = dyn_cast<ParmVarDecl>(name->getDecl());
    return parameter && parameter->getFunctionScopeIndex() == 0;
  }
  return isa<CXXThisExpr>(condition);
}

void forEachExpression(const Stmt *statement, llvm::function_ref<void(const Expr &)> visit) {
  if (!statement)
    return;
  if (const auto *expression = dyn_cast<Expr>(statement))
    visit(*expression);
  for (const Stmt *child : statement->children())
    forEachExpression(child, visit);
}

/// An expression gives this place another value; null if it gives none.
const Expr *assignedBy(const Expr &expression) {
  if (const auto *binary = dyn_cast<BinaryOperator>(&expression))
    return binary->isAssignmentOp() ? binary->getLHS() : nullptr;
  if (const auto *unary = dyn_cast<UnaryOperator>(&expression))
    return unary->isIncrementDecrementOp() ? unary->getSubExpr() : nullptr;
  return nullptr;
}

/// Does a statement give another value to something that a condition looks at?
bool changes(const Stmt *statement, const Stmt *condition, const ASTContext &context) {
  bool found = false;
  forEachExpression(statement, [&](const Expr &expression) {
    const Expr *assigned = assignedBy(expression);
    if (!assigned || found)
      return;
    const llvm::FoldingSetNodeID place = identityOf(*assigned, context);
    forEachExpression(
        condition, [&](const Expr &part) { found = found || identityOf(part, context) == place; });
  });
  return found;
}

/// A loop goes on while this is true; null if it has no condition, or is no loop.
const Stmt *conditionOfLoop(const Stmt *statement) {
  if (const auto *loop = dyn_cast<WhileStmt>(statement))
    return loop->getCond();
  if (const auto *loop = dyn_cast<DoStmt>(statement))
    return loop->getCond();
  if (const auto *loop = dyn_cast<ForStmt>(statement))
    return loop->getCond();
  return nullptr;
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
  Use use{function, identityOf(*condition, context), {}, {}, call.expression->getBeginLoc(), site};
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (const auto *branch = dyn_cast<IfStmt>(path[i]))
      if (path[i + 1] == branch->getThen() || path[i + 1] == branch->getElse())
        use.branches.push_back({branch, path[i + 1] == branch->getElse()});
    if (const Stmt *loop = conditionOfLoop(path[i]))
      use.loops.push_back(loop);
  }
  // A predicate, which the library's loop looks at.
  forEachExpression(call.expression, [&](const Expr &part) {
    if (const auto *predicate = dyn_cast<LambdaExpr>(&part))
      use.loops.push_back(predicate->getBody());
  });
  uses.push_back(std::move(use));
}

void Barriers::noteWakeUp(const Call &call, llvm::ArrayRef<const Stmt *> path,
                          const FunctionDecl *function) {
  if (!wakesAll(*call.callee) && !wakeForCaller.contains(call.callee->getCanonicalDecl()))
    return;
  note(wakeUps, call, path, function, 0);
  const Expr *condition = conditionOf(*call.expression);
  if (function && condition && isOfCaller(condition))
    wakeForCaller.insert(function->getCanonicalDecl());
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
    const Stmt *then = one.statement->getThen();
    return !one.isElse &&
           context.getSourceManager().isBeforeInTranslationUnit(wakeUp.location, wait.location) &&
           (endsWithReturn(then) || llvm::any_of(wait.loops, [&](const Stmt *condition) {
              return !llvm::is_contained(wakeUp.loops, condition) &&
                     changes(then, condition, context);
            }));
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
