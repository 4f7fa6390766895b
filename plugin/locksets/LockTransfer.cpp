// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/LockTransfer.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/CallArguments.h"
#include "plugin/ast/Expressions.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace qdadvise {
namespace {

/// A local variable that an expression names, std::move around it or not.
const VarDecl *localVariable(const Expr &expression, const ASTContext &context) {
  const LockPath path = lockPath(expression, context);
  const bool isLocal = path.base == LockPath::Base::variable && path.steps.empty() &&
                       path.variable->hasLocalStorage();
  return isLocal ? path.variable : nullptr;
}

} // namespace

LockSet LockTransfer::through(const CFGBlock &block, Premises blockPremises, LockSet held) {
  premises = std::move(blockPremises);
  for (const CFGElement &element : block) {
    if (const auto made = element.getAs<CFGConstructor>())
      held = statement(*made->getStmt(), made->getConstructionContext(), held);
    else if (const auto typed = element.getAs<CFGCXXRecordTypedCall>())
      held = statement(*typed->getStmt(), typed->getConstructionContext(), held);
    else if (const auto plain = element.getAs<CFGStmt>())
      held = statement(*plain->getStmt(), nullptr, held);
    else if (const auto ended = element.getAs<CFGAutomaticObjDtor>())
      held = endOfScope(*ended->getVarDecl(), held);
  }
  return held;
}

LockSet LockTransfer::alongEdge(const CFGBlock &block, unsigned successor, LockSet held) const {
  const Expr *condition = block.succ_size() == 2 ? block.getLastCondition() : nullptr;
  if (!held || !condition)
    return held;
  if (const auto asked = callOutcome(*condition, results, context)) {
    const auto result = successor == 0 ? asked->whenTrue : opposite(asked->whenTrue);
    held &= ~table.select(held, [&](const LockFact &fact) {
      return fact.origin == asked->call && tookLock(fact.success, result) == false;
    });
  }
  if (const auto premise = premiseOfEdge(block, successor, context))
    held &= ~table.select(held, [&](const LockFact &fact) {
      return llvm::is_contained(fact.premises, Premise{premise->hash, !premise->nonZero});
    });
  return held;
}

LockSet LockTransfer::statement(const Stmt &statement, Made made, LockSet held) {
  if (const auto *construct = dyn_cast<CXXConstructExpr>(&statement))
    return call(*construct, *construct->getConstructor(), made, held);
  if (const auto *plain = dyn_cast<CallExpr>(&statement)) {
    const FunctionDecl *callee = calledFunction(*plain);
    return callee ? call(*plain, *callee, made, held) : held;
  }
  if (const auto *exits = dyn_cast<ReturnStmt>(&statement)) {
    if (findings)
      findings->returned.note(exits->getRetValue(), held, table, results, function);
    return held;
  }
  noteResults(statement, results);
  const auto *assignment = dyn_cast<BinaryOperator>(&statement);
  if (assignment && assignment->getOpcode() == BO_Assign)
    setPremise(held, *assignment->getLHS(), *assignment->getRHS());
  return held;
}

/// A flag that is set while a lock is held says that it is.
void LockTransfer::setPremise(LockSet held, const Expr &variable, const Expr &value) {
  const std::optional<std::int64_t> constant = held ? constantOf(value, context) : std::nullopt;
  if (!constant)
    return;
  const std::uint64_t hash = expressionHash(variable, context);
  table.forEach(held, [&](LockFact &fact) {
    llvm::erase_if(fact.premises, [&](const Premise &one) { return one.hash == hash; });
    fact.premises.push_back({hash, *constant != 0});
  });
}

LockSet LockTransfer::call(const Expr &call, const FunctionDecl &callee, Made made, LockSet held) {
  if (held)
    held = moveGuards(call, callee, made, held);
  if (const LockOperation *known = knowledge.operationOf(callee))
    return operation(call, callee, *known, made, held);
  if (const LockEffect *known = knowledge.effectOf(callee))
    return effect(call, callee, *known, made, held);
  const Expr *given = held ? argumentOf(call, 0) : nullptr;
  if (!given)
    return held;
  if (knowledge.releasesByName(callee))
    return release(pathOf(*given), held);
  // unique_lock::release gives the lock to whoever wants it.
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  if (method && method->getIdentifier() && method->getName() == "release" &&
      isStandardGuard(*method->getParent()))
    if (const VarDecl *guard = localVariable(*given, context))
      held = transferOwnership(*guard, {}, held);
  return held;
}

/// The locks of a guard that is moved from go where it goes.
LockSet LockTransfer::moveGuards(const Expr &call, const FunctionDecl &callee, Made made,
                                 LockSet held) {
  const auto *construct = dyn_cast<CXXConstructExpr>(&call);
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  const bool assigns = method && method->isMoveAssignmentOperator();
  const CallExpr *plain = construct ? nullptr : cast<CallExpr>(&call);
  if (plain && plain->isCallToStdMove())
    return held;
  const unsigned count = construct ? construct->getNumArgs() : plain->getNumArgs();
  for (unsigned i = 0; i < count; ++i) {
    const Expr &argument = *(construct ? construct->getArg(i) : plain->getArg(i));
    if (!argument.isXValue() && !(construct && callee.getNumParams() == 1))
      continue;
    const VarDecl *from = localVariable(argument, context);
    if (!from || !table.ownedBy(*from, held))
      continue;
    Owner to{Owner::Kind::temporary, nullptr}; // an argument ends with the call
    if (construct) {
      to = ownerOf(made, function);
    } else if (assigns) {
      const VarDecl *target = localVariable(*plain->getArg(0), context);
      to = {target ? Owner::Kind::variable : Owner::Kind::object, target};
    }
    held = transferOwnership(*from, to, held);
  }
  return held;
}

/// A wait gives a lock up and takes it again. Where the function holds one that it took, that
/// one is meant; else it is the caller's, which the function then returns with as its own.
LockSet LockTransfer::wait(const Expr &call, const LockOperation &operation, LockSet held) {
  if (held)
    return held;
  for (const AddressPath &address : operation.locks) {
    const Expr *argument = argumentOf(call, address.argument);
    const VarDecl *guard = argument ? localVariable(*argument, context) : nullptr;
    if (!guard || isa<ParmVarDecl>(guard) || address.loads.empty()) {
      held = take({.origin = &call,
                   .path = argument ? pathOf(*argument) : pathOfCall(call),
                   .reacquired = true},
                  held);
      continue;
    }
    // A local guard without a lock that was taken here has adopted its caller's.
    const Expr *value = guard->getInit() ? guard->getInit()->IgnoreImplicit() : nullptr;
    const auto *made = dyn_cast_or_null<CXXConstructExpr>(value);
    if (made && made->getNumArgs() != 0)
      held = take({.origin = &call,
                   .path = pathOf(*made->getArg(0)),
                   .owner = {Owner::Kind::variable, guard},
                   .reacquired = true},
                  held);
  }
  return held;
}

LockSet LockTransfer::operation(const Expr &call, const FunctionDecl &callee,
                                const LockOperation &operation, Made made, LockSet held) {
  if (operation.role == SiteRole::wait)
    return wait(call, operation, held);
  if (operation.waits && held)
    return held;
  const bool takes = operation.role == SiteRole::acquire || operation.role == SiteRole::wrapper;
  if (!takes && operation.role != SiteRole::release)
    return held;
  if (const auto *method = dyn_cast<CXXMethodDecl>(&callee);
      method && method->isMoveAssignmentOperator())
    return held;
  const bool isGuard = isa<CXXConstructorDecl>(callee) || hasDestructor(callee.getReturnType());
  if (takes && operation.locks.empty())
    return take({.origin = &call,
                 .path = pathOfCall(call),
                 .owner = ownerAfter(call, made, isGuard),
                 .success = operation.success,
                 .reacquired = operation.waits},
                held);
  for (const AddressPath &address : operation.locks) {
    const Expr *argument = argumentOf(call, address.argument);
    const LockPath path = argument ? pathOf(*argument) : pathOfCall(call);
    // A guard's own lock() and unlock().
    const VarDecl *guard =
        argument && !address.loads.empty() ? localVariable(*argument, context) : nullptr;
    if (!takes) {
      held = guard ? endOfScope(*guard, held) : release(path, held);
      continue;
    }
    const Owner owner =
        guard ? Owner{Owner::Kind::variable, guard} : ownerAfter(call, made, isGuard);
    held = take({.origin = &call,
                 .path = path,
                 .owner = owner,
                 .success = operation.success,
                 .shared = (operation.flags & siteShared) != 0,
                 .reacquired = operation.waits},
                held);
  }
  return held;
}

LockSet LockTransfer::effect(const Expr &call, const FunctionDecl &callee, const LockEffect &effect,
                             Made made, LockSet held) {
  for (const LockPath &released : effect.releases)
    held = release(inCaller(released, call, callee, made), held);
  if (!effect.takes || (effect.reacquired && held))
    return held;
  const LockPath path =
      effect.taken ? inCaller(*effect.taken, call, callee, made) : pathOfCall(call);
  const bool isGuard = isa<CXXConstructorDecl>(callee) || effect.inResult;
  return take({.origin = &call,
               .path = path,
               .owner = ownerAfter(call, made, isGuard),
               .success = effect.success,
               .shared = effect.shared,
               .reacquired = effect.reacquired},
              held);
}

LockSet LockTransfer::take(LockFact fact, LockSet held) {
  fact.premises = premises;
  return table.take(std::move(fact), held);
}

/// The locks of a guard become another owner's.
LockSet LockTransfer::transferOwnership(const VarDecl &from, const Owner &to, LockSet held) {
  const LockSet owned = table.ownedBy(from, held);
  held &= ~owned;
  table.forEach(owned, [&](LockFact given) {
    given.owner = to;
    held = take(std::move(given), held);
  });
  return held;
}

/// A lock that is not held may be one that the caller took.
LockSet LockTransfer::release(const LockPath &path, LockSet held) {
  const LockSet gone = table.releasedBy(path, results.lookup(path.variable), held);
  if (findings && !gone && !path.isLocal() && path.base != LockPath::Base::unknown &&
      !llvm::is_contained(findings->releases, path))
    findings->releases.push_back(path);
  return held & ~gone;
}

LockPath LockTransfer::pathOfCall(const Expr &call) const {
  LockPath path;
  path.number = expressionHash(call, context);
  return path;
}

/// A path of the callee as the caller sees it.
LockPath LockTransfer::inCaller(const LockPath &path, const Expr &call, const FunctionDecl &callee,
                                Made made) const {
  LockPath base;
  switch (path.base) {
  case LockPath::Base::unknown:
    return pathOfCall(call);
  case LockPath::Base::variable:
    return path.variable->hasLocalStorage() ? pathOfCall(call) : path;
  case LockPath::Base::object: {
    if (const Expr *object = argumentOf(call, 0)) {
      base = lockPath(*object, context);
      break;
    }
    const Owner owner = ownerOf(made, function);
    if (owner.kind == Owner::Kind::variable) {
      base.base = LockPath::Base::variable;
      base.variable = owner.variable;
    } else {
      base = pathOfCall(call);
    }
    break;
  }
  case LockPath::Base::parameter: {
    const Expr *argument =
        argumentOf(call, argumentOfParameter(callee, static_cast<unsigned>(path.number)));
    base = argument ? lockPath(*argument, context) : pathOfCall(call);
    break;
  }
  }
  base.steps.append(path.steps.begin(), path.steps.end());
  return aliases.resolve(std::move(base));
}

} // namespace qdadvise
