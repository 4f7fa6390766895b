// Part of QDAdvise, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plugin/locksets/HeldLocks.h"

#include "plugin/api/StandardLibrary.h"
#include "plugin/ast/CallArguments.h"
#include "plugin/ast/Expressions.h"
#include "plugin/locksets/BranchOutcome.h"
#include "plugin/locksets/BranchPremises.h"
#include "plugin/locksets/HeldTokens.h"
#include "plugin/locksets/LockOwner.h"
#include "plugin/locksets/PointerAliases.h"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Analysis/CFG.h"
#include "clang/Analysis/ConstructionContext.h"

#include <memory>
#include <vector>

using namespace clang;

namespace qdadvise {
namespace {

/// How what a function returns goes with the locks it then holds.
struct Returns {
  bool heldZero = false, heldNonZero = false, freeZero = false, freeNonZero = false;
  bool unknown = false;
};

class BodyAnalysis {
public:
  BodyAnalysis(const FunctionDecl &analysed, CallKnowledge &callKnowledge)
      : function(analysed), knowledge(callKnowledge), context(analysed.getASTContext()),
        aliases(context) {}

  LockEffect run();

private:
  LockPath pathOf(const Expr &expression) const {
    return aliases.resolve(lockPath(expression, context));
  }
  void solve(const CFG &graph);
  Held transfer(const CFGBlock &block, Held held);
  Held alongEdge(const CFGBlock &block, unsigned successor, Held held) const;
  LockEffect conclude(const CFG &graph);

  Held statement(const Stmt &statement, const ConstructionContext *made, Held held);
  Held call(const Expr &call, const FunctionDecl &callee, const ConstructionContext *made,
            Held held);
  Held operation(const Expr &call, const FunctionDecl &callee, const LockOperation &operation,
                 const ConstructionContext *made, Held held);
  Held wait(const Expr &call, const LockOperation &operation, Held held);
  Held effect(const Expr &call, const FunctionDecl &callee, const LockEffect &effect,
              const ConstructionContext *made, Held held);
  Held moves(const Expr &call, const FunctionDecl &callee, const ConstructionContext *made,
             Held held);
  Held take(const Expr &origin, LockPath path, Owner owner, Success success, bool shared, Held held,
            bool again = false);
  Held release(const LockPath &path, Held held);
  Held endOf(const VarDecl &variable, Held held) const {
    return held & ~tokens.ownedBy(variable, held);
  }
  Held handOver(const VarDecl &from, const Owner &to, Held held);
  void remember(const Stmt &statement, Held held);
  void setPremise(Held held, const Expr &variable, const Expr &value);
  void returned(const ReturnStmt &statement, Held held);

  /// Who owns the lock that a call takes.
  Owner ownerAfter(const Expr &call, const ConstructionContext *made, bool isGuard) const {
    return isGuard ? ownerOf(call, made, function) : Owner();
  }
  LockPath inCaller(const LockPath &path, const Expr &call, const FunctionDecl &callee,
                    const ConstructionContext *made) const;
  LockPath callHash(const Expr &call) const;
  Premises premisesHere() const { return premises[currentBlock].value_or(Premises()); }
  bool leaves(const Token &token) const;
  Success successByResult() const;

  const FunctionDecl &function;
  CallKnowledge &knowledge;
  const ASTContext &context;
  PointerAliases aliases;
  HeldTokens tokens;
  std::vector<std::optional<Premises>> premises; ///< by block
  std::vector<std::optional<Held>> entries;      ///< by block
  ResultVariables results;
  unsigned currentBlock = 0;
  bool collecting = false;
  LockEffect found;
  Returns returns;
};

/// A local variable that an expression names, std::move around it or not.
const VarDecl *localVariable(const Expr &expression, const ASTContext &context) {
  const LockPath path = lockPath(expression, context);
  const bool isLocal = path.base == LockPath::Base::variable && path.steps.empty() &&
                       path.variable->hasLocalStorage();
  return isLocal ? path.variable : nullptr;
}

LockEffect BodyAnalysis::run() {
  CFG::BuildOptions options;
  options.AddInitializers = true;
  options.AddImplicitDtors = true;
  options.AddRichCXXConstructors = true;
  options.MarkElidedCXXConstructors = true;
  const std::unique_ptr<CFG> graph =
      CFG::buildCFG(&function, function.getBody(), const_cast<ASTContext *>(&context), options);
  if (!graph)
    return {};
  aliases.find(*graph);
  premises = premisesOfBlocks(*graph, context);
  solve(*graph);
  return conclude(*graph);
}

void BodyAnalysis::solve(const CFG &graph) {
  entries.resize(graph.getNumBlockIDs());
  entries[graph.getEntry().getBlockID()] = 0;
  bool changed = true;
  constexpr unsigned mostRounds = 8;
  for (unsigned round = 0; changed && round < mostRounds; ++round) {
    changed = false;
    for (unsigned id = graph.getNumBlockIDs(); id-- > 0;) {
      const CFGBlock *block = *(graph.begin() + id);
      const std::optional<Held> entry = entries[block->getBlockID()];
      if (!entry)
        continue;
      const Held held = transfer(*block, *entry);
      for (unsigned i = 0; i < block->succ_size(); ++i) {
        const CFGBlock *next = (block->succ_begin() + i)->getReachableBlock();
        if (!next)
          continue;
        std::optional<Held> &known = entries[next->getBlockID()];
        const Held joined = known.value_or(0) | alongEdge(*block, i, held);
        changed |= known != joined;
        known = joined;
      }
    }
  }
}

Held BodyAnalysis::transfer(const CFGBlock &block, Held held) {
  currentBlock = block.getBlockID();
  for (const CFGElement &element : block) {
    if (const auto made = element.getAs<CFGConstructor>())
      held = statement(*made->getStmt(), made->getConstructionContext(), held);
    else if (const auto typed = element.getAs<CFGCXXRecordTypedCall>())
      held = statement(*typed->getStmt(), typed->getConstructionContext(), held);
    else if (const auto plain = element.getAs<CFGStmt>())
      held = statement(*plain->getStmt(), nullptr, held);
    else if (const auto ended = element.getAs<CFGAutomaticObjDtor>())
      held = endOf(*ended->getVarDecl(), held);
  }
  return held;
}

/// What a condition says of a try's success, or contradicts, is not held behind it.
Held BodyAnalysis::alongEdge(const CFGBlock &block, unsigned successor, Held held) const {
  const Expr *condition = block.succ_size() == 2 ? block.getLastCondition() : nullptr;
  if (!held || !condition)
    return held;
  if (const auto asked = callOutcome(*condition, results, context)) {
    const auto result = successor == 0 ? asked->whenTrue : opposite(asked->whenTrue);
    held &= ~tokens.those(held, [&](const Token &token) {
      return token.origin == asked->call && tookLock(token.success, result) == false;
    });
  }
  if (const auto premise = premiseOfEdge(block, successor, context))
    held &= ~tokens.those(held, [&](const Token &token) {
      return llvm::is_contained(token.premises, Premise{premise->hash, !premise->nonZero});
    });
  return held;
}

bool BodyAnalysis::leaves(const Token &token) const {
  switch (token.owner.kind) {
  case Owner::Kind::nobody:
    return !token.path.isLocal();
  case Owner::Kind::object:
  case Owner::Kind::result:
    return true;
  case Owner::Kind::variable:
  case Owner::Kind::temporary:
    return false;
  }
  llvm_unreachable("all kinds of owners are handled");
}

LockEffect BodyAnalysis::conclude(const CFG &graph) {
  collecting = true;
  for (const CFGBlock *block : graph)
    if (entries[block->getBlockID()])
      transfer(*block, *entries[block->getBlockID()]);

  const Held held = entries[graph.getExit().getBlockID()].value_or(0);
  bool first = true;
  found.shared = found.again = true;
  tokens.forEach(held, [&](const Token &token) {
    if (!leaves(token))
      return;
    found.takes = true;
    found.inResult |= token.owner.kind == Owner::Kind::result;
    found.shared &= token.shared;
    found.again &= token.again;
    if (first)
      found.taken = token.path;
    else if (found.taken != token.path)
      found.taken.reset();
    first = false;
  });
  found.shared &= found.takes;
  found.again &= found.takes;
  found.success = successByResult();
  return found;
}

Success BodyAnalysis::successByResult() const {
  if (returns.unknown || !found.takes)
    return Success::always;
  if (returns.freeZero && !returns.heldZero && !returns.freeNonZero)
    return Success::nonZero;
  if (returns.freeNonZero && !returns.heldNonZero && !returns.freeZero)
    return Success::zero;
  return Success::always;
}

Held BodyAnalysis::statement(const Stmt &statement, const ConstructionContext *made, Held held) {
  if (const auto *construct = dyn_cast<CXXConstructExpr>(&statement))
    return call(*construct, *construct->getConstructor(), made, held);
  if (const auto *plain = dyn_cast<CallExpr>(&statement)) {
    const FunctionDecl *callee = plain->getDirectCallee();
    return callee ? call(*plain, *callee, made, held) : held;
  }
  if (const auto *exits = dyn_cast<ReturnStmt>(&statement)) {
    if (collecting)
      returned(*exits, held);
    return held;
  }
  remember(statement, held);
  return held;
}

/// The variables that keep results, and the flags that say that a lock is held.
void BodyAnalysis::remember(const Stmt &statement, Held held) {
  noteResults(statement, results);
  const auto *assignment = dyn_cast<BinaryOperator>(&statement);
  if (assignment && assignment->getOpcode() == BO_Assign)
    setPremise(held, *assignment->getLHS(), *assignment->getRHS());
}

void BodyAnalysis::setPremise(Held held, const Expr &variable, const Expr &value) {
  const std::optional<std::int64_t> constant = held ? constantOf(value, context) : std::nullopt;
  if (!constant)
    return;
  const std::uint64_t hash = expressionHash(variable, context);
  tokens.forEach(held, [&](Token &token) {
    llvm::erase_if(token.premises, [&](const Premise &one) { return one.hash == hash; });
    token.premises.push_back({hash, *constant != 0});
  });
}

void BodyAnalysis::returned(const ReturnStmt &statement, Held held) {
  const Expr *value = statement.getRetValue();
  const QualType type = function.getReturnType();
  if (!value || (!type->isIntegerType() && !type->isPointerType())) {
    returns.unknown = true;
    return;
  }
  const Held leaving = tokens.those(held, [&](const Token &token) { return leaves(token); });
  if (const auto asked = callOutcome(*value, results, context)) {
    const Held asksFor =
        tokens.those(leaving, [&](const Token &token) { return token.origin == asked->call; });
    if (asksFor && asksFor == leaving) {
      tokens.forEach(asksFor, [&](const Token &token) {
        const std::optional<bool> took = tookLock(token.success, asked->whenTrue);
        returns.unknown |= !took;
        (took.value_or(true) ? returns.heldNonZero : returns.heldZero) = true;
        (took.value_or(true) ? returns.freeZero : returns.freeNonZero) = true;
      });
      return;
    }
  }
  const std::optional<std::int64_t> constant = constantOf(*value, context);
  if (!constant && !type->isPointerType()) {
    returns.unknown = true;
    return;
  }
  const bool isZero = constant == 0;
  if (leaving)
    (isZero ? returns.heldZero : returns.heldNonZero) = true;
  else
    (isZero ? returns.freeZero : returns.freeNonZero) = true;
}

Held BodyAnalysis::call(const Expr &call, const FunctionDecl &callee,
                        const ConstructionContext *made, Held held) {
  if (held)
    held = moves(call, callee, made, held);
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
      held = handOver(*guard, {}, held);
  return held;
}

/// The locks of a guard that is moved from go where it goes.
Held BodyAnalysis::moves(const Expr &call, const FunctionDecl &callee,
                         const ConstructionContext *made, Held held) {
  const auto *construct = dyn_cast<CXXConstructExpr>(&call);
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  const bool assigns = method && method->isMoveAssignmentOperator();
  const auto *plain = dyn_cast<CallExpr>(&call);
  if (plain && plain->isCallToStdMove())
    return held;
  const unsigned count = construct ? construct->getNumArgs() : plain->getNumArgs();
  for (unsigned i = 0; i < count; ++i) {
    const Expr &argument = *(construct ? construct->getArg(i) : plain->getArg(i));
    if (!argument.isXValue() && !(construct && callee.getNumParams() == 1))
      continue;
    const VarDecl *from = localVariable(argument, context);
    if (!from || !tokens.ownedBy(*from, held))
      continue;
    Owner to{Owner::Kind::temporary, nullptr}; // an argument ends with the call
    if (construct) {
      to = ownerOf(made, function);
    } else if (assigns) {
      const VarDecl *target = localVariable(*plain->getArg(0), context);
      to = {target ? Owner::Kind::variable : Owner::Kind::object, target};
    }
    held = handOver(*from, to, held);
  }
  return held;
}

/// A wait gives a lock up and takes it again. Where the function holds one that it took, that
/// one is meant; else it is the caller's, which the function then returns with as its own.
Held BodyAnalysis::wait(const Expr &call, const LockOperation &operation, Held held) {
  if (held)
    return held;
  for (const AddressPath &address : operation.locks) {
    const Expr *argument = argumentOf(call, address.argument);
    const VarDecl *guard = argument ? localVariable(*argument, context) : nullptr;
    if (!guard || isa<ParmVarDecl>(guard) || address.loads.empty()) {
      held = take(call, argument ? pathOf(*argument) : callHash(call), {}, Success::always,
                  /*shared=*/false, held, /*again=*/true);
      continue;
    }
    // A local guard without a lock that was taken here has adopted its caller's.
    const Expr *value = guard->getInit() ? guard->getInit()->IgnoreImplicit() : nullptr;
    const auto *made = dyn_cast_or_null<CXXConstructExpr>(value);
    if (made && made->getNumArgs() != 0)
      held = take(call, pathOf(*made->getArg(0)), {Owner::Kind::variable, guard}, Success::always,
                  /*shared=*/false, held, /*again=*/true);
  }
  return held;
}

Held BodyAnalysis::operation(const Expr &call, const FunctionDecl &callee,
                             const LockOperation &operation, const ConstructionContext *made,
                             Held held) {
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
    return take(call, callHash(call), ownerAfter(call, made, isGuard), operation.success, false,
                held, operation.waits);
  for (const AddressPath &address : operation.locks) {
    const Expr *argument = argumentOf(call, address.argument);
    const LockPath path = argument ? pathOf(*argument) : callHash(call);
    // A guard's own lock() and unlock().
    const VarDecl *guard =
        argument && !address.loads.empty() ? localVariable(*argument, context) : nullptr;
    if (!takes) {
      held = guard ? endOf(*guard, held) : release(path, held);
      continue;
    }
    const Owner owner =
        guard ? Owner{Owner::Kind::variable, guard} : ownerAfter(call, made, isGuard);
    held = take(call, path, owner, operation.success, (operation.flags & siteShared) != 0, held,
                operation.waits);
  }
  return held;
}

Held BodyAnalysis::effect(const Expr &call, const FunctionDecl &callee, const LockEffect &effect,
                          const ConstructionContext *made, Held held) {
  for (const LockPath &released : effect.releases)
    held = release(inCaller(released, call, callee, made), held);
  if (!effect.takes || (effect.again && held))
    return held;
  const LockPath path = effect.taken ? inCaller(*effect.taken, call, callee, made) : callHash(call);
  const bool isGuard = isa<CXXConstructorDecl>(callee) || effect.inResult;
  return take(call, path, ownerAfter(call, made, isGuard), effect.success, effect.shared, held,
              effect.again);
}

Held BodyAnalysis::take(const Expr &origin, LockPath path, Owner owner, Success success,
                        bool shared, Held held, bool again) {
  return tokens.take({&origin, std::move(path), owner, success, shared, again, premisesHere()},
                     held);
}

/// The locks of a guard become another's.
Held BodyAnalysis::handOver(const VarDecl &from, const Owner &to, Held held) {
  const Held owned = tokens.ownedBy(from, held);
  held &= ~owned;
  tokens.forEach(owned, [&](Token given) {
    given.owner = to;
    given.premises = premisesHere();
    held = tokens.take(std::move(given), held);
  });
  return held;
}

/// Of what is not held the caller may be the owner.
Held BodyAnalysis::release(const LockPath &path, Held held) {
  const Held gone = tokens.releasedBy(path, results.lookup(path.variable), held);
  if (collecting && !gone && !path.isLocal() && path.base != LockPath::Base::unknown &&
      !llvm::is_contained(found.releases, path))
    found.releases.push_back(path);
  return held & ~gone;
}

LockPath BodyAnalysis::callHash(const Expr &call) const {
  LockPath path;
  path.number = expressionHash(call, context);
  return path;
}

/// A path of the callee as the caller sees it.
LockPath BodyAnalysis::inCaller(const LockPath &path, const Expr &call, const FunctionDecl &callee,
                                const ConstructionContext *made) const {
  LockPath base;
  switch (path.base) {
  case LockPath::Base::unknown:
    return callHash(call);
  case LockPath::Base::variable:
    return path.variable->hasLocalStorage() ? callHash(call) : path;
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
      base = callHash(call);
    }
    break;
  }
  case LockPath::Base::parameter: {
    const Expr *argument =
        argumentOf(call, argumentOfParameter(callee, static_cast<unsigned>(path.number)));
    base = argument ? lockPath(*argument, context) : callHash(call);
    break;
  }
  }
  base.steps.append(path.steps.begin(), path.steps.end());
  return aliases.resolve(std::move(base));
}

} // namespace

LockEffect effectOfBody(const FunctionDecl &function, CallKnowledge &knowledge) {
  const FunctionDecl *definition = nullptr;
  if (!function.hasBody(definition) || definition->isDependentContext() ||
      isa<CoroutineBodyStmt>(definition->getBody()))
    return {};
  return BodyAnalysis(*definition, knowledge).run();
}

} // namespace qdadvise
